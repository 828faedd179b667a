// Reads the whole page in one pass, in a world of its own, and writes nothing to it.
//
// Frames and open shadow roots are walked where they stand. A ref (e12; f1e12 in a frame) is kept in a WeakMap, so
// that an element keeps it for as long as its page lives.
(() => {
  const {
    FOLDED, INTERACTIVE, LABELLED, MAX_LEVEL, MAX_NAME, MAX_NODES, MAX_TEXT, SINGLE, SKIPPED, activeOf, attr,
    attributesOf, changes, children, controlRole, find, firstChild, has, heightOf, hidden, inside, nameOf,
    nextSibling, nodeType, nodeValue, optionsOf, parentNode, query, rectOf, scriptsOf, shadowOf, squash, statesOf,
    structureRole, tagOf, titleOf, valueOf, watch, widthOf,
  } = globalThis.habitus;
  const refs = new WeakMap(), elements = new Map(), frames = new WeakMap(), apart = [];
  let elementCount = 0, frameCount = 0;

  // A control is where it is seen: at its own box, at its label's where the control itself has none, or at a child's.
  const boxOf = (element) => {
    let box = rectOf(element);
    if (box.width > 0 && box.height > 0) return box;
    for (const label of element.labels || []) if ((box = rectOf(label)).width > 0 && box.height > 0) return box;
    for (let child = firstChild(element); child; child = nextSibling(child))
      if (nodeType(child) === 1 && (box = rectOf(child)).width > 0 && box.height > 0) return box;
    return null;
  };

  // Where the document of a frame begins.
  const innerOf = (frame) => {
    const box = rectOf(frame), style = getComputedStyle(frame);
    return [box.left + frame.clientLeft + parseFloat(style.paddingLeft),
      box.top + frame.clientTop + parseFloat(style.paddingTop)];
  };

  const refOf = (element, frame) => {
    let ref = refs.get(element);
    if (!ref) {
      ref = `${frame}e${++elementCount}`;
      refs.set(element, ref);
      elements.set(ref, new WeakRef(element));
    }
    return ref;
  };

  const deepActive = (doc) => {
    let active = activeOf(doc);
    for (;;) {
      const shadow = active && shadowOf(active);
      const inner = shadow ? shadow.activeElement : active && tagOf(active) === 'iframe' && inside(active) ?
        activeOf(inside(active)) : null;
      if (!inner) return active;
      active = inner;
    }
  };

  // `prefix` begins the refs of a frame of another site, which is read in a world of its own.
  const read = (prefix) => {
    // A node: depth, ref, role, name, value, chosen, options, states, attributes, left, top, width, height.
    const nodes = [], foreign = [], focused = deepActive(document), given = new Set();
    let text = '', textParent = null, left = 0, top = 0, frame = prefix, full = false;

    const push = (depth, ref, role, name, box, value = '', chosen = [], options = [], states = '', attributes = {}) => {
      if (nodes.length >= MAX_NODES) { full = true; return; }
      nodes.push([depth, ref, role, name, value, chosen, options, states, attributes,
        Math.round(box.left + left), Math.round(box.top + top), Math.round(box.width), Math.round(box.height)]);
    };
    const flush = (depth) => {
      const said = text && squash(text, MAX_TEXT);
      text = '';
      if (said) push(depth, '', 'text', said, rectOf(textParent));
    };

    const control = (element, tag, role, depth, muted, level) => {
      const box = boxOf(element);
      if (!box) return false;
      if (given.has(element)) return true;
      given.add(element);
      flush(depth);
      const composite = role === 'clickable' && (find(element, INTERACTIVE) !== null);
      const name = composite ? '' : nameOf(element, tag, role);
      const value = squash(valueOf(element, tag, role), MAX_TEXT);
      const [chosen, options] = tag === 'select' ? optionsOf(element) : [[], []];
      push(depth, refOf(element, frame), role, name, box, value, chosen, options,
        statesOf(element, tag, role, focused), attributesOf(element, tag, role, name, value));
      if (tag === 'select' || tag === 'input' || role === 'textbox') return true;
      const folds = !composite && (FOLDED.has(role) || role === 'clickable');
      if (folds && !shadowOf(element) && !find(element, INTERACTIVE)) return true;
      children(element, (child) => visit(child, depth + 1, muted || folds, true, level + 1, element));
      flush(depth + 1);
      return true;
    };

    const enterFrame = (element, depth, level) => {
      const box = rectOf(element), doc = inside(element);
      if (box.width < 2 || box.height < 2) return;
      flush(depth);
      const said = attr(element, 'aria-label') || attr(element, 'title') || attr(element, 'name') || '';
      const name = squash(said, MAX_NAME);
      push(depth, '', 'frame', name, box, '', [], [], doc ? '' : 'unreadable');
      const outer = [left, top, frame], inner = innerOf(element);
      left += inner[0];
      top += inner[1];
      if (!doc) {
        let key = apart.indexOf(element);
        if (key < 0) key = apart.push(element) - 1;
        foreign.push([nodes.length - 1, key, Math.round(left), Math.round(top)]);
        [left, top] = outer;
        return;
      }
      if (!frames.has(element)) frames.set(element, `${prefix}f${++frameCount}`);
      frame = frames.get(element);
      watch(doc);
      for (let child = firstChild(doc); child; child = nextSibling(child))
        visit(child, depth + 1, false, false, level + 1, element);
      flush(depth + 1);
      [left, top, frame] = outer;
    };

    const structure = (element, tag, role, depth, muted, pointer, level) => {
      flush(depth);
      const start = nodes.length;
      let name = LABELLED.has(role) || attr(element, 'aria-label') ? nameOf(element, tag, role) : '';
      const attributes = role === 'heading' ?
        { level: squash(attr(element, 'aria-level') || (tag[0] === 'h' ? tag[1] : '2') || '2', 4) } : {};
      push(depth, '', role, name, rectOf(element), '', [], [], '', attributes);
      children(element, (child) => visit(child, depth + 1, muted, pointer, level + 1, element));
      flush(depth + 1);
      const added = nodes.length - start;
      if (added === 2 && SINGLE.has(role) && !name && nodes[start + 1][2] === 'text')
        nodes[start][3] = nodes.pop()[3];
      else if (added === 1 && !name) nodes.pop();
    };

    const visit = (node, depth, muted, pointer, level, parent) => {
      const type = nodeType(node);
      if (type === 3) {
        if (muted || full) return;
        const said = nodeValue(node);
        if (!text.trim()) textParent = parent;
        if (getVisible(parent)) text += said;
        return;
      }
      if (type !== 1 || full || level > MAX_LEVEL) return;
      const tag = tagOf(node);
      if (SKIPPED.has(tag)) return;
      if (tag === 'br') { text += ' '; return; }
      const style = getComputedStyle(node), display = style.display;
      if (hidden(node, style)) return;
      visible = style.visibility === 'visible';
      visibleOf = node;
      if (tag === 'svg' || tag === 'math') {
        const name = squash(attr(node, 'aria-label') || (tag === 'math' ? node.textContent : ''), MAX_NAME);
        if (name && visible && !muted) { flush(depth); push(depth, '', 'image', name, rectOf(node)); }
        return;
      }
      if (style.contentVisibility === 'hidden') return;
      if (display !== 'contents' && display !== 'inline' && (heightOf(node) === 0 || widthOf(node) === 0) &&
        style.overflow !== 'visible' && tag !== 'input') return;
      if (tag === 'iframe' || tag === 'frame') { if (visible) enterFrame(node, depth, level); return; }
      const role = visible ? controlRole(node, tag, style, pointer) : '';
      if (role && control(node, tag, role, depth, muted, level)) return;
      if (tag === 'img') {
        const alt = squash(attr(node, 'aria-label') || attr(node, 'alt') || '', MAX_NAME);
        if (alt && visible && !muted) { flush(depth); push(depth, '', 'image', alt, rectOf(node)); }
        return;
      }
      const inner = style.cursor === 'pointer';
      if (tag === 'label') { label(node, depth, muted, inner, level); return; }
      if (tag === 'legend' && tagOf(parentNode(node)) === 'fieldset') muted = true;
      if (tag === 'details' && !node.open) {
        const summary = find(node, ':scope > summary');
        if (summary) visit(summary, depth, muted, inner, level + 1, node);
        return;
      }
      const kind = visible ? structureRole(node, tag) : '';
      if (kind) { structure(node, tag, kind, depth, muted, inner, level); return; }
      const block = display !== 'inline' && display !== 'contents';
      if (block) { if (display.startsWith('inline')) text += ' '; else flush(depth); }
      children(node, (child) => visit(child, depth, muted, inner, level + 1, node));
      if (block) { if (display.startsWith('inline')) text += ' '; else flush(depth); }
    };

    // A label's text is its control's name. A tick box that is drawn by its label stands where the label is.
    const label = (element, depth, muted, pointer, level) => {
      const target = element.control;
      const ticks = target && (target.type === 'checkbox' || target.type === 'radio' || target.type === 'file');
      const style = target && getComputedStyle(target);
      const box = target && rectOf(target);
      const seen = target && target.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
        box.width > 0 && box.height > 0 && style.opacity !== '0';
      const drawn = ticks && !seen;
      if (drawn) control(target, 'input', controlRole(target, 'input', style, true), depth, true, level);
      const silent = muted || drawn || (seen && target.type !== 'hidden' && tagOf(target) !== 'button');
      children(element, (child) => {
        if (!drawn || child !== target) visit(child, depth, silent, true, level + 1, element);
      });
    };

    let visible = true, visibleOf = null;
    const getVisible = (element) => {
      if (element !== visibleOf) { visibleOf = element; visible = getComputedStyle(element).visibility === 'visible'; }
      return visible;
    };

    watch(document);
    for (let child = firstChild(document); child; child = nextSibling(child)) visit(child, 0, false, false, 0, null);
    flush(0);
    const timing = performance.getEntriesByType('navigation')[0];
    return JSON.stringify({ url: location.href, title: squash(titleOf(document), MAX_NAME), full,
      status: timing ? timing.responseStatus || 0 : 0, width: innerWidth, height: innerHeight, nodes, foreign });
  };

  // Whether a script could change the page by itself; where none can, there is nothing to wait for.
  const scripted = () => scriptsOf(document).length > 0 || window.length > 0 ||
    query(document, '[onclick],[onchange],[oninput],[onsubmit],[onload],[onerror],[onkeydown],[onkeyup],[onfocus],' +
      '[onblur],[onmousedown],[onmouseup]') !== null;

  // Wait until the event that is under way is over and nothing changed for `quiet` ms, at most `limit` ms.
  const settle = async (quiet, limit) => {
    const began = performance.now();
    await new Promise((done) => {
      const timer = setTimeout(done, 60);
      requestAnimationFrame(() => setTimeout(() => { clearTimeout(timer); done(); }, 0));
    });
    if (!scripted()) return;
    for (;;) {
      const now = performance.now(), rest = Math.max(changes.at, began) + quiet - now;
      if (rest <= 0 || now - began >= limit) return;
      await new Promise((done) => setTimeout(done, Math.max(1, Math.min(rest, limit))));
    }
  };

  watch(document);
  Object.assign(globalThis.habitus, { read, settle, elements, apart, boxOf, innerOf });
})()
