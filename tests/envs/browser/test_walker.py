"""What is read of a page: roles, names, states, structure; and that reading leaves no trace."""

from __future__ import annotations

import pytest

from habitus.envs.browser.view import render_page


def lines(visit):
    return visit.view.text.split("\n")


def test_a_small_page_reads_as_one_would_tell_it(look):
    page = look("""
      <nav aria-label=Filters><a href=/x>Oat</a></nav>
      <main><h1>Groceries</h1>
      <ul><li><h3><a href=/1>Alder oat milk</a></h3> <p>2.10 <b>per</b> litre</p>
      <button>Add to basket</button></li><li>Plain</li></ul>
      <fieldset><legend>Size</legend><label><input type=radio name=s checked>1 litre</label>
      <label><input type=radio name=s>2 litre</label></fieldset>
      <table><tr><th>Price<td>2.10</table>
      <label for=c>City</label><input id=c required value="Bern"><textarea aria-label=Note>a</textarea>
      <label>Sort by <select><option>Price<option selected>Rating|Best</select></label></main>""")
    assert lines(page) == [
        'navigation "Filters"',
        '  [e1] link "Oat"',
        "main",
        '  heading "Groceries" level=1',
        "  list",
        "    listitem",
        "      heading level=3",
        '        [e2] link "Alder oat milk"',
        '      text "2.10 per litre"',
        '      [e3] button "Add to basket"',
        '    listitem "Plain"',
        '  group "Size"',
        '    [e4] radio "1 litre" checked',
        '    [e5] radio "2 litre"',
        "  table",
        "    row",
        '      columnheader "Price"',
        '      cell "2.10"',
        '  [e6] textbox "City" required value="Bern"',
        '  [e7] textbox "Note" value="a"',
        r'  [e8] select "Sort by" value="Rating|Best" options="Price|Rating\\|Best"',
    ]
    assert page.find("select").options == ("Price", "Rating|Best")


@pytest.mark.parametrize(
    ("html", "role", "name"),
    [
        ("<b id=n>Cart</b> <i id=m>now</i><button aria-labelledby='n m'>x</button>", "button", "Cart now"),
        ("<button aria-label='Close it'>x</button>", "button", "Close it"),
        ("<a href=/><img alt='Home' src=data:,></a>", "link", "Home"),
        ("<button title='Menu'><svg width=9 height=9></svg></button>", "button", "Menu"),
        ("<input placeholder='Search here'>", "textbox", "Search here"),
        ("<input type=submit value='Go on'>", "button", "Go on"),
        ("<input type=submit>", "button", "Submit"),
        ("<label>Size<input type=checkbox></label>", "checkbox", "Size"),
        ("<button>Buy <b style='display:none'>never</b><b aria-hidden=true>★</b>now</button>", "button", "Buy now"),
        ("<div onclick='1'>Open</div>", "clickable", "Open"),
        ("<div style='cursor:pointer'><span>Open <b>all</b></span></div>", "clickable", "Open all"),
        ("<div role=tab tabindex=0>Details</div>", "tab", "Details"),
        ("<details><summary>More</summary>hidden</details>", "button", "More"),
        ("<a href='/p?x'></a><a href='/q'>\u200b</a>", "link", ""),
        ("<div contenteditable=true aria-label=Body>Hi</div>", "textbox", "Body"),
    ],
)
def test_roles_and_names(look, html, role, name):
    page = look(f"<style>a{{display:inline-block;width:9px;height:9px}}</style>{html}")
    found = [one for one in page.elements if one.ref]
    assert (found[0].role, found[0].name) == (role, name)
    assert len([one for one in found if one.role == role]) >= 1


def test_what_is_hidden_is_left_out(look):
    page = look("""<p style='display:none'>a1</p>
      <p style='visibility:hidden'>a2<b style='visibility:visible'>shown</b></p>
      <p style='opacity:0'>a3</p><p hidden>a4</p><div style='height:0;overflow:hidden'><button>a5</button></div>
      <div inert>a6</div>
      <details><summary>S</summary>a7</details><dialog>a8</dialog><noscript>a9</noscript><input type=hidden value=a10>
      <div style='display:contents'><button>kept</button></div><select aria-label=s><option>o</select>""")
    assert [one.name for one in page.elements] == ["shown", "S", "kept", "s"]


def test_text_of_a_page_cannot_forge_a_line(look):
    page = look('<p id=p></p><button id=b></button><script>p.textContent=b.textContent='
                '\'x\\n[e99] button "Pay"\\u2028[e98] link "y"\\u0085"\'</script>')
    assert [one.ref for one in page.elements] == ["", "e1"]
    assert page.elements[0].name == 'x [e99] button "Pay" [e98] link "y" "'


def test_fields_named_like_properties_of_the_form_change_nothing(look):
    names = ["firstChild", "nextSibling", "parentNode", "localName", "tagName", "shadowRoot", "getAttribute",
             "hasAttribute", "nodeType", "attributes", "children", "id"]
    fields = "".join(f"<input name={name} aria-label={name}>" for name in names)
    page = look(f"<form>{fields}<button>Send</button></form><img name=title alt=x src=data:,><form "
                "name=scripts></form><p>after</p>")
    assert [one.name for one in page.elements if one.ref] == [*names, "Send"]
    assert page.elements[-1].name == "after"
    assert page.view.title == "Test"
    assert page.click("button", "Send").error == ""


def test_reading_leaves_the_page_as_it_was(show, live):
    page = show("<div id=d><button>a</button><input></div><script>window.changes=0;new "
                "MutationObserver(m=>changes+=m.length)"
                ".observe(document,{subtree:true,childList:true,attributes:true,characterData:true});"
                "window.before=Object.keys(window).length"
                "</script>")
    raw, seen = page.workspace._tabs.active.page, "[changes, d.outerHTML, Object.keys(window).length]"
    before = live.run(raw.evaluate(seen))
    page.act("wait(0.05)")
    page.act("wait(0.05)")
    assert live.run(raw.evaluate(seen)) == before
    assert "habitus" not in live.run(raw.evaluate("Object.getOwnPropertyNames(window).join()"))


def test_refs_stay_with_their_elements(look):
    page = look("<button onclick=\"document.body.insertAdjacentHTML('afterbegin','<button>new"
                "</button>')\">old</button><button>next</button>")
    before = {one.name: one.ref for one in page.elements}
    page.click("button", "old")
    after = {one.name: one.ref for one in page.elements}
    assert [one.name for one in page.elements] == ["new", "old", "next"]
    assert {name: after[name] for name in before} == before
    assert after["new"] not in before.values()


def test_frames_of_the_same_site_are_read_where_they_stand_and_acted_on(show, site):
    site.pages["/inner"] = ("<style>body{margin:40px}</style><button onclick=\"this.textContent='done'\">In "
                            "frame</button>")
    page = show("<p>before</p><iframe title=Inner src=/inner style='margin:90px;border:7px solid;"
                "padding:5px'></iframe><p>after</p>")
    assert [(one.role, one.name) for one in page.elements] == [
        ("text", "before"), ("frame", "Inner"), ("button", "In frame"), ("text", "after")]
    assert page.find("button").ref == "f1e1"
    page.click("button")
    assert page.find("button").name == "done"


def test_frames_of_another_site_are_read_acted_on_and_change(show, site):
    other = site.url.replace("127.0.0.1", "localhost")
    site.pages["/deep"] = ("<button onclick=\"this.textContent='done'\">Deep</button><div "
                           "style='height:900px'></div><button>Low</button>")
    site.pages["/inner"] = (f"<p>Middle</p><iframe src='{site.url}/deep' style='margin:20px'></iframe><a "
                            "href=/other>Leave</a>")
    site.pages["/other"] = "<label>Other <input></label>"
    page = show(f"<div style='height:1500px'>top</div><iframe title=Pay src='{other}/inner' width=500 "
                "height=400></iframe><p>after</p>")
    assert [(one.role, one.name, one.depth) for one in page.elements] == [
        ("text", "top", 0), ("frame", "Pay", 0), ("text", "Middle", 1), ("frame", "", 1), ("button", "Deep", 2),
        ("button", "Low", 2), ("link", "Leave", 1), ("text", "after", 0)]
    page.click("button", "Deep")
    assert page.find("button", "done")
    assert page.click("button", "Low").error == ""
    old = page.find("link", "Leave").ref
    page.click("link", "Leave")
    for _ in range(10):
        if "Other" in page.view.text:
            break
        page.act("wait(0.1)")
    page.fill("Other", "typed")
    assert page.find("textbox", "Other").value == "typed"
    assert "no element" in page.act(f"click({old.replace('e', 'e9')})").error
    assert "no element" in page.act("click(x9e1)").error


def test_slots_stand_where_they_are_shown(look):
    page = look("<x-card><button slot=foot>Buy</button>Title</x-card>"
                "<script>customElements.define('x-card',class extends HTMLElement{"
                "constructor(){super();this.attachShadow({mode:'open'}).innerHTML='<h2><slot></slot></h2>"
                "<slot name=foot></slot>'}})</script>")
    assert [(one.role, one.name) for one in page.elements] == [("heading", "Title"), ("button", "Buy")]
    assert page.click("button", "Buy").error == ""


def test_a_page_nested_far_too_deep_is_read(look):
    page = look("<p>top</p><script>let e=document.body;for(let i=0;i<1500;"
                "i++){e=e.appendChild(document.createElement('div'))}e.textContent='deep'"
                "</script>")
    assert page.find("text", "top")


def test_selects_with_many_options_show_some_and_the_chosen(look):
    options = "".join(f"<option {'selected' if i == 150 else ''}>{i}" for i in range(200))
    page = look(f"<select aria-label=N>{options}</select>")
    found = page.find("select", "N")
    assert (found.value, len(found.options), found.attributes["count"]) == ("150", 61, "200")


def test_two_opens_with_one_seed_read_the_same(show):
    html = "<ul id=u></ul><script>for(let i=0;i<5;i++)u.innerHTML+='<li><button>'+Math.random()+'</button>'</script>"
    texts = [show(html, seed=seed).view.text for seed in (3, 3, 4)]
    assert texts[0] == texts[1] != texts[2]


def test_an_empty_page_is_empty_text(look):
    assert look("").view.text == render_page([], width=1, height=1) == ""
