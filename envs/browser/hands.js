// Finds the place of an element for an action and prepares it; the input itself is sent by the browser.
//
// Each function returns JSON: what was found, or `error` with one line for the agent.
(() => {
  const { elements, apart, boxOf, innerOf, content, squash, inside, tagOf, attr, shadowOf, rectOf, upOf, FORMATS } =
    globalThis.habitus;
  const hitIn = Document.prototype.elementFromPoint;
  const fail = (error) => JSON.stringify({ error });

  const describe = (element) => {
    const name = attr(element, 'aria-label') || squash(content(element), 60) || attr(element, 'id') || '';
    return `${attr(element, 'role') || tagOf(element)}${name ? ` ${JSON.stringify(squash(name, 60))}` : ''}`;
  };

  const get = (ref) => {
    const held = elements.get(ref);
    if (!held) throw `there is no element ${ref} on this page`;
    const element = held.deref();
    if (!element || !element.isConnected || !element.ownerDocument.defaultView)
      throw `${ref} is no longer on the page; look at the refs of this observation`;
    return element;
  };

  const disabled = (element) => attr(element, 'aria-disabled') === 'true' ||
    (/^(input|select|textarea|button)$/.test(tagOf(element)) && element.matches(':disabled'));

  const framesOf = (element) => {
    const chain = [];
    for (let view = element.ownerDocument.defaultView; view !== window; view = view.parent)
      chain.unshift(view.frameElement);
    return chain;
  };

  // What lies at a point of the window, through frames and open shadow roots.
  const hit = (x, y) => {
    let found = hitIn.call(document, x, y);
    for (;;) {
      if (!found) return null;
      const shadow = shadowOf(found), doc = tagOf(found) === 'iframe' ? inside(found) : null;
      let inner = null;
      if (shadow) inner = shadow.elementFromPoint(x, y);
      else if (doc) {
        const [left, top] = innerOf(found);
        x -= left;
        y -= top;
        inner = hitIn.call(doc, x, y);
      }
      if (!inner || inner === found) return found;
      found = inner;
    }
  };

  const contains = (outer, node) => {
    for (; node; node = upOf(node)) if (node === outer) return true;
    return false;
  };

  const takes = (element, found) => {
    if (contains(element, found)) return true;
    for (const label of element.labels || []) if (contains(label, found)) return true;
    // What has no pointer events of its own, or stands in a slot, is clicked through what holds it.
    return contains(found, element) && !/^(body|html)$/.test(tagOf(found)) &&
      (getComputedStyle(element).pointerEvents === 'none' || shadowOf(found) !== null || rectOf(found).height < 200);
  };

  const points = (element) => {
    const boxes = [...element.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
    if (!boxes.length) { const box = boxOf(element); if (box) boxes.push(box); }
    const found = [];
    for (const box of boxes.slice(0, 3))
      for (const [dx, dy] of [[0.5, 0.5], [0.15, 0.5], [0.85, 0.5], [0.5, 0.2], [0.5, 0.8]])
        found.push([box.left + box.width * dx, box.top + box.height * dy]);
    let [left, top] = [0, 0];
    for (const frame of framesOf(element)) { const [x, y] = innerOf(frame); left += x; top += y; }
    return found.map(([x, y]) => [x + left, y + top]);
  };

  // What covers is named by its innermost part that has text.
  const obstructed = (what, covering) => {
    if (!covering) return fail(`${what} is not visible`);
    let said = covering;
    for (let node = covering; node && tagOf(node) !== 'body'; node = upOf(node))
      if (node.nodeType === 1 && squash(content(node), 60)) { said = node; break; }
    return fail(`${what} is covered by ${describe(said)}; deal with that first`);
  };

  const place = (ref) => {
    const element = get(ref), tag = tagOf(element);
    if (disabled(element)) return fail(`${ref} is disabled`);
    if (tag === 'select' && !element.multiple && element.size < 2)
      return fail(`${ref} is a select: use select("${ref}", "<option>"), not click`);
    let covering = null;
    for (const scrolled of [false, true]) {
      if (scrolled) element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      const candidates = points(element);
      if (!candidates.length) return fail(`${ref} is not visible`);
      for (const [x, y] of candidates) {
        if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
        const found = hit(x, y);
        if (found && takes(element, found)) return JSON.stringify({ x, y });
        covering = found || covering;
      }
    }
    return obstructed(ref, covering);
  };

  // Carry a point of a frame of another site to this window's.
  const through = (key, x, y) => {
    const element = apart[key];
    if (!element || !element.isConnected) return fail('the frame is no longer on the page');
    let covering = null;
    for (const scrolled of [false, true]) {
      if (scrolled) element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      let [left, top] = innerOf(element);
      for (const frame of framesOf(element)) { const [dx, dy] = innerOf(frame); left += dx; top += dy; }
      covering = hit(left + x, top + y);
      if (covering === element) return JSON.stringify({ x: left + x, y: top + y });
    }
    return obstructed('the frame', covering);
  };

  const setter = (element) => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value').set;
  const tell = (element, ...types) => {
    for (const type of types) element.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
  };
  const valueOf = (element) => (element.isContentEditable ? element.innerText : element.value);

  // Ready a field to be typed into, or set one whose value has a fixed form.
  const ready = (ref, text) => {
    const element = get(ref), tag = tagOf(element), type = tag === 'input' ? element.type : '';
    const editable = tag === 'textarea' || element.isContentEditable ||
      (tag === 'input' && !/^(checkbox|radio|file|button|submit|reset|image|hidden)$/.test(type));
    const instead = tag === 'select' ? 'select' : 'click';
    if (!editable) return fail(`${ref} is a ${type || describe(element)}, no text field: use ${instead}`);
    if (disabled(element)) return fail(`${ref} is disabled`);
    if (element.readOnly) return fail(`${ref} is read-only`);
    if (!boxOf(element)) return fail(`${ref} is not visible`);
    element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    element.focus({ preventScroll: true });
    if (FORMATS[type] || type === 'range') {
      const before = element.value;
      setter(element).call(element, text);
      const took = type === 'color' || type === 'range' ? element.value.toLowerCase() === text.toLowerCase() :
        (element.value === '') === (text === '');
      if (!took) {
        setter(element).call(element, before);
        const form = FORMATS[type] || `a number from ${element.min || 0} to ${element.max || 100}`;
        return fail(`${ref} is a ${type} input and takes ${form}, not ${JSON.stringify(squash(text, 40))}`);
      }
      tell(element, 'input', 'change');
      const wrong = element.validity.valid ? '' : squash(element.validationMessage, 200) || 'not valid';
      return JSON.stringify({ typed: false, wrong });
    }
    if (element.isContentEditable) element.ownerDocument.defaultView.getSelection().selectAllChildren(element);
    else element.select();
    return JSON.stringify({ typed: true, filled: valueOf(element) !== '' });
  };

  const filled = (ref, text) => {
    const element = get(ref);
    tell(element, 'change');
    const value = valueOf(element);
    const secret = element.type === 'password';
    return JSON.stringify({ same: value.replace(/\s+/g, ' ').trim() === text.replace(/\s+/g, ' ').trim(),
      value: secret ? '' : squash(value, 100) });
  };

  // Whether a field offers suggestions while one types.
  const suggests = (ref) => {
    const held = elements.get(ref), element = held && held.deref();
    return JSON.stringify({ offers: Boolean(element) && (attr(element, 'role') === 'combobox' ||
      /list|both/.test(attr(element, 'aria-autocomplete') || '') || attr(element, 'aria-haspopup') === 'listbox') });
  };

  const choose = (ref, wanted) => {
    const element = get(ref);
    if (tagOf(element) !== 'select') return fail(`${ref} is a ${describe(element)}, no select: use click`);
    if (disabled(element)) return fail(`${ref} is disabled`);
    const label = (option) => squash(option.label || option.text, 300), low = (text) => squash(text, 300).toLowerCase();
    const options = [...element.options];
    const option = options.find((one) => label(one) === squash(wanted, 300)) ||
      options.find((one) => low(label(one)) === low(wanted)) || options.find((one) => one.value === wanted);
    if (!option) {
      const some = options.slice(0, 30).map((one) => JSON.stringify(squash(label(one), 60))).join(', ');
      const rest = options.length > 30 ? ', …' : '';
      return fail(`${ref} has no option ${JSON.stringify(squash(wanted, 60))}; it has: ${some}${rest}`);
    }
    if (option.disabled) return fail(`the option ${JSON.stringify(label(option))} of ${ref} is disabled`);
    element.focus({ preventScroll: true });
    option.selected = true;
    tell(element, 'input', 'change');
    return JSON.stringify({ chosen: label(option) });
  };

  const chosen = (ref) => {
    const held = elements.get(ref), element = held && held.deref();
    if (!element || !element.isConnected) return JSON.stringify({ chosen: null });
    return JSON.stringify({ chosen: [...element.selectedOptions].map((one) => squash(one.label || one.text, 300)) });
  };

  // Scroll the page, or the largest thing in view that scrolls where the page itself does not.
  const scroll = (down) => {
    const step = (down ? 0.8 : -0.8) * innerHeight;
    const tried = [document.scrollingElement];
    for (let node = hit(innerWidth / 2, innerHeight / 2); node; node = upOf(node))
      if (node.nodeType === 1 && node !== tried[0] && node.scrollHeight > node.clientHeight + 1 &&
        /auto|scroll/.test(getComputedStyle(node).overflowY)) tried.push(node);
    for (const scroller of tried) {
      if (!scroller) continue;
      const before = scroller.scrollTop;
      scroller.scrollBy({ top: step, behavior: 'instant' });
      if (Math.abs(scroller.scrollTop - before) > 1) return '{}';
    }
    return fail(`nothing to scroll: the page is at its ${down ? 'end' : 'start'}`);
  };

  const guarded = (work) => (...values) => {
    try {
      return work(...values);
    } catch (error) {
      return fail(typeof error === 'string' ? error : `the page refused: ${error}`);
    }
  };
  for (const [name, work] of Object.entries({ place, through, ready, filled, suggests, choose, chosen, scroll }))
    globalThis.habitus[name] = guarded(work);
})()
