// What an element is: role, accessible name, states, value. Loaded before walker.js, into the same world.
//
// Getters are taken from the prototypes, because a form's fields named `firstChild` or `tagName` shadow the form's own
// properties.
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

  const watched = new WeakSet(), changes = { at: performance.now() };
  const observer = new MutationObserver(() => { changes.at = performance.now(); });
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

  const inside = (frame) => {
    try { return frame.contentDocument; } catch { return null; }
  };

  globalThis.habitus = {
    FOLDED, FORMATS, INTERACTIVE, LABELLED, MAX_LEVEL, MAX_NAME, MAX_NODES, MAX_TEXT, SINGLE, SKIPPED, activeOf, attr,
    attributesOf, changes, children, content, controlRole, find, firstChild, has, heightOf, hidden, inside, nameOf,
    nextSibling, nodeType, nodeValue, optionsOf, parentNode, query, rectOf, scriptsOf, shadowOf, squash, statesOf,
    structureRole, tagOf, titleOf, upOf, valueOf, watch, widthOf,
  };
})()
