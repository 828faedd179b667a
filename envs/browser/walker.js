// Reads the whole page in one pass, in a world of its own, and writes nothing to it.
//
// Frames and open shadow roots are walked where they stand. A ref (e12; f1e12 in a frame) is kept in a WeakMap, so
// that an element keeps it for as long as its page lives. Getters are taken from the prototypes, because a form's
// fields named `firstChild` or `tagName` shadow the form's own properties.
(() => {
  const getter = (prototype, name) => {
    const get = Object.getOwnPropertyDescriptor(prototype, name).get;
    return (object) => get.call(object);
  };
  const method = (prototype, name) => {
    const call = prototype[name];
    return (object, ...values) => call.apply(object, values);
  };
  const firstChild = getter(Node.prototype, 'firstChild');
  const nextSibling = getter(Node.prototype, 'nextSibling');
  const nodeType = getter(Node.prototype, 'nodeType');
  const nodeValue = getter(Node.prototype, 'nodeValue');
  const parentNode = getter(Node.prototype, 'parentNode');
  const rootOf = method(Node.prototype, 'getRootNode');
  const tagOf = getter(Element.prototype, 'localName');
  const shadowOf = getter(Element.prototype, 'shadowRoot');
  const slotOf = getter(Element.prototype, 'assignedSlot');
  const upOf = (node) => (nodeType(node) === 1 && slotOf(node)) || parentNode(node) ||
    (nodeType(node) === 11 ? node.host : null);
  const attr = method(Element.prototype, 'getAttribute');
  const has = method(Element.prototype, 'hasAttribute');
  const find = method(Element.prototype, 'querySelector');
  const query = method(Document.prototype, 'querySelector');
  const rectOf = method(Element.prototype, 'getBoundingClientRect');
  const heightOf = getter(HTMLElement.prototype, 'offsetHeight');
  const widthOf = getter(HTMLElement.prototype, 'offsetWidth');
  const titleOf = getter(Document.prototype, 'title');
  const activeOf = getter(Document.prototype, 'activeElement');
  const scriptsOf = getter(Document.prototype, 'scripts');

  const MAX_NODES = 15000, MAX_NAME = 300, MAX_TEXT = 2000, MAX_OPTIONS = 60, MAX_LEVEL = 800;
  const words = (text) => new Set(text.split(' '));
  const SKIPPED = words('script style template noscript head meta link title base source track param datalist canvas');
  const TEXT_TYPES = words('text search email url tel password number date time month week datetime-local color range');
  const ROLES = words('button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem ' +
    'combobox textbox searchbox slider spinbutton');
  const FOLDED = words('button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem');
  const STRUCTURE = { main: 'main', nav: 'navigation', aside: 'complementary', ul: 'list', ol: 'list', menu: 'list',
    li: 'listitem', dl: 'list', dt: 'term', dd: 'definition', table: 'table', tr: 'row', td: 'cell', article: 'article',
    fieldset: 'group', dialog: 'dialog', search: 'search', caption: 'caption', blockquote: 'blockquote' };
  const STRUCTURE_ROLES = { main: 'main', navigation: 'navigation', complementary: 'complementary', banner: 'banner',
    contentinfo: 'contentinfo', search: 'search', list: 'list', listitem: 'listitem', table: 'table', grid: 'table',
    row: 'row', cell: 'cell', gridcell: 'cell', columnheader: 'columnheader', rowheader: 'rowheader', group: 'group',
    radiogroup: 'group', tablist: 'tablist', tabpanel: 'tabpanel', listbox: 'listbox', menu: 'menu', menubar: 'menu',
    tree: 'tree', dialog: 'dialog', alertdialog: 'dialog', alert: 'alert', status: 'status', article: 'article',
    heading: 'heading', region: 'region', form: 'form', toolbar: 'group' };
  const SINGLE = words('heading listitem term definition cell columnheader rowheader alert status caption blockquote');
  const LABELLED = words('group dialog table region form navigation search listbox list tablist menu main ' +
    'complementary article');
  const INTERACTIVE = 'a[href],button,input,select,textarea,summary,[contenteditable=""],[contenteditable=true],' +
    [...ROLES].map((role) => `[role=${role}]`).join(',');
  const FORMATS = { date: 'YYYY-MM-DD', time: 'HH:MM', month: 'YYYY-MM', week: 'YYYY-Www',
    'datetime-local': 'YYYY-MM-DDTHH:MM', color: '#rrggbb' };

  const refs = new WeakMap(), elements = new Map(), frames = new WeakMap(), apart = [], watched = new WeakSet();
  let elementCount = 0, frameCount = 0, changedAt = performance.now();

  const observer = new MutationObserver(() => { changedAt = performance.now(); });
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    // Style is left out: an animation that a script drives would never be quiet.
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: [
      'class', 'hidden', 'disabled', 'open', 'checked', 'selected', 'value', 'aria-expanded', 'aria-hidden',
      'aria-checked', 'aria-selected', 'aria-pressed', 'aria-label', 'href'] });
  };

  const squash = (text, most) => {
    const plain = text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim().toWellFormed();
    return plain.length > most ? plain.slice(0, most).toWellFormed() + '…' : plain;
  };

  const children = (element, visit) => {
    const shadow = shadowOf(element);
    if (shadow) {
      watch(shadow);
      for (let child = firstChild(shadow); child; child = nextSibling(child)) visit(child);
      return;
    }
    if (tagOf(element) === 'slot') {
      const assigned = element.assignedNodes();
      if (assigned.length) { assigned.forEach(visit); return; }
    }
    for (let child = firstChild(element); child; child = nextSibling(child)) visit(child);
  };

  // A tick box of no opacity is drawn by what lies around it and still takes the click.
  const hidden = (element, style) => style.display === 'none' ||
    (style.opacity === '0' && tagOf(element) !== 'input') ||
    attr(element, 'aria-hidden') === 'true' || has(element, 'inert');

  // Text of an element as it is seen, for names. `apart` is left out: a label's own control.
  const content = (element, apart, level = 0) => {
    let text = '';
    children(element, (node) => {
      const type = nodeType(node);
      if (type === 3) { text += nodeValue(node); return; }
      if (type !== 1 || node === apart || level > 40) return;
      const tag = tagOf(node);
      if (tag === 'br') { text += ' '; return; }
      if (SKIPPED.has(tag) || tag === 'select' || tag === 'textarea' || tag === 'input') return;
      const style = getComputedStyle(node);
      if (hidden(node, style)) return;
      const label = attr(node, 'aria-label') || (tag === 'img' ? attr(node, 'alt') || '' : null);
      if (label !== null) { text += ` ${label} `; return; }
      if (tag === 'svg') { const title = find(node, 'title'); text += title ? ` ${title.textContent} ` : ''; return; }
      const inner = style.visibility === 'visible' ? content(node, apart, level + 1) : '';
      text += style.display === 'inline' || style.display === 'contents' ? inner : ` ${inner} `;
    });
    return text;
  };

  const byIds = (element, ids) => {
    const root = rootOf(element);
    return ids.split(/\s+/).map((id) => {
      const named = root.getElementById ? root.getElementById(id) : null;
      return named ? attr(named, 'aria-label') || content(named) || named.textContent : '';
    }).join(' ');
  };

  const nameOf = (element, tag, role) => {
    const labelledBy = attr(element, 'aria-labelledby');
    const said = (labelledBy && byIds(element, labelledBy).trim()) || attr(element, 'aria-label');
    if (said && said.trim()) return squash(said, MAX_NAME);
    let text = '';
    if (tag === 'input' || tag === 'select' || tag === 'textarea' || tag === 'button') {
      const type = tag === 'input' ? element.type : '';
      if (element.labels && element.labels.length)
        text = [...element.labels].map((label) => content(label, element)).join(' ');
      if (type === 'submit' || type === 'reset' || type === 'button')
        text = text.trim() || element.value || { submit: 'Submit', reset: 'Reset' }[type] || '';
      if (type === 'image') text = text.trim() || attr(element, 'alt') || 'Submit';
    } else if (tag === 'fieldset') {
      const legend = find(element, ':scope > legend');
      text = legend ? content(legend) : '';
    } else if (tag === 'area' || tag === 'img') text = attr(element, 'alt') || '';
    if (!text.trim() && (FOLDED.has(role) || role === 'clickable')) text = content(element);
    return squash(text, MAX_NAME) || squash(attr(element, 'title') || '', MAX_NAME) ||
      squash(attr(element, 'placeholder') || '', MAX_NAME);
  };

  const inputRole = (element) => {
    const type = element.type;
    if (type === 'hidden') return '';
    if (type === 'checkbox' || type === 'radio' || type === 'file') return type;
    if (TEXT_TYPES.has(type)) return type === 'range' ? 'slider' : 'textbox';
    return 'button';
  };

  const controlRole = (element, tag, style, pointer) => {
    const given = (attr(element, 'role') || '').trim().split(/\s+/)[0].toLowerCase();
    if (tag === 'input') {
      const role = inputRole(element);
      return role && (given === 'combobox' || given === 'switch') ? given : role;
    }
    if (tag === 'select') return 'select';
    if (tag === 'textarea') return 'textbox';
    if (ROLES.has(given)) return given === 'searchbox' ? 'textbox' : given;
    if (tag === 'button') return 'button';
    if ((tag === 'a' || tag === 'area') && has(element, 'href')) return 'link';
    if (tag === 'summary' && tagOf(parentNode(element)) === 'details') return 'button';
    if (element.isContentEditable && !(parentNode(element) || {}).isContentEditable) return 'textbox';
    if (tag === 'label' || tag === 'html' || tag === 'body') return '';
    if (has(element, 'onclick')) return 'clickable';
    const found = (style.cursor === 'pointer' && !pointer) || (attr(element, 'tabindex') || '-') >= '0';
    return found && !find(element, INTERACTIVE) ? 'clickable' : '';
  };

  const structureRole = (element, tag) => {
    const given = (attr(element, 'role') || '').trim().split(/\s+/)[0].toLowerCase();
    if (given === 'presentation' || given === 'none') return '';
    if (STRUCTURE_ROLES[given]) return STRUCTURE_ROLES[given];
    if (tag.length === 2 && tag[0] === 'h' && tag >= 'h1' && tag <= 'h6') return 'heading';
    if (tag === 'th') return attr(element, 'scope') === 'row' ? 'rowheader' : 'columnheader';
    if (tag === 'header' || tag === 'footer') {
      const outer = element.closest('article,aside,main,nav,section');
      return outer ? '' : tag === 'header' ? 'banner' : 'contentinfo';
    }
    const named = has(element, 'aria-label') || has(element, 'aria-labelledby');
    if (tag === 'section' || tag === 'form') return named ? (tag === 'form' ? 'form' : 'region') : '';
    return STRUCTURE[tag] || '';
  };

  const statesOf = (element, tag, role, focused) => {
    const states = [], aria = (name) => attr(element, `aria-${name}`);
    const native = tag === 'input' || tag === 'select' || tag === 'textarea' || tag === 'button';
    if ((native && element.matches(':disabled')) || aria('disabled') === 'true') states.push('disabled');
    const ticks = tag === 'input' && (element.type === 'checkbox' || element.type === 'radio');
    if (ticks ? element.indeterminate : aria('checked') === 'mixed') states.push('mixed');
    else if (ticks ? element.checked : aria('checked') === 'true') states.push('checked');
    if (aria('selected') === 'true') states.push('selected');
    const open = tag === 'summary' ? String(parentNode(element).open) : aria('expanded');
    if (open === 'true') states.push('expanded');
    if (open === 'false') states.push('collapsed');
    if (aria('pressed') === 'true') states.push('pressed');
    if (aria('current') && aria('current') !== 'false') states.push('current');
    if (native && element.required) states.push('required');
    if ((native && element.readOnly) || aria('readonly') === 'true') states.push('readonly');
    if (aria('invalid') === 'true' || (native && element.value && !element.validity.valid)) states.push('invalid');
    if (native && element.multiple) states.push('multiple');
    if (element === focused) states.push('focused');
    return states.join(' ');
  };

  const optionsOf = (select) => {
    const labels = [], chosen = [];
    for (const option of select.options) {
      const label = squash(option.label || option.text, MAX_NAME);
      if (option.selected) chosen.push(label);
      if (labels.length < MAX_OPTIONS || option.selected) labels.push(label);
    }
    return [chosen, labels];
  };

  const attributesOf = (element, tag, role, name, value) => {
    const found = {};
    if (tag === 'input' && !FOLDED.has(role)) {
      const type = element.type;
      if (type !== 'text' && type !== role) found.type = type;
      if (FORMATS[type]) found.format = FORMATS[type];
      for (const key of ['min', 'max', 'step'])
        if (attr(element, key)) found[key] = squash(attr(element, key), 40);
    }
    const placeholder = squash(attr(element, 'placeholder') || '', MAX_NAME);
    if (placeholder && placeholder !== name && !value) found.placeholder = placeholder;
    if (role === 'link' && !name) found.href = squash(attr(element, 'href') || '', 100);
    if (tag === 'select' && element.options.length > MAX_OPTIONS) found.count = String(element.options.length);
    return found;
  };

  const valueOf = (element, tag, role) => {
    if (tag === 'input' && (role === 'textbox' || role === 'slider' || role === 'combobox'))
      return element.type === 'password' ? '•'.repeat(element.value.length) : element.value;
    if (tag === 'textarea') return element.value;
    if (role === 'textbox' && element.isContentEditable) return element.innerText;
    return attr(element, 'aria-valuetext') || attr(element, 'aria-valuenow') || '';
  };

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

  const inside = (frame) => {
    try { return frame.contentDocument; } catch { return null; }
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
      const now = performance.now(), rest = Math.max(changedAt, began) + quiet - now;
      if (rest <= 0 || now - began >= limit) return;
      await new Promise((done) => setTimeout(done, Math.max(1, Math.min(rest, limit))));
    }
  };

  watch(document);
  globalThis.habitus = { read, settle, elements, apart, boxOf, innerOf, content, squash, inside, tagOf, attr, shadowOf,
    rectOf, upOf, FORMATS };
})()
