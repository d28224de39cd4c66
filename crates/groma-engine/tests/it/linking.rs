//! References in Python, TypeScript and JavaScript, linked across files.

use groma_engine::{Cancel, LocateRequest, Relation};
use groma_testkit::{Sandbox, Setup};

const PYTHON: &str = "\
//- pkg/__init__.py
from .desk import Desk as Table
from .item import *
//- pkg/item.py
class Item:
    def drop(self): ...

class Box:
    def drop(self): ...
//- pkg/desk.py
from .item import Item

class Base:
    def close(self):
        return self

class Desk(Base):
    def __init__(self, items: list[Item]):
        self.drawer = items

    @property
    def first(self) -> Item:
        return self.drawer[0]

    def __enter__(self):
        return self
//- app/main.py
import pkg
from pkg import Table, Box

def close(): ...

def main(thing):
    with Table([]) as table:
        table.first.drop()
        table.close()
    for item in table.drawer:
        item.drop()
    box = Box()
    box.drop()
    thing.drop()
    close = pkg.Item
    close().drop()
    'text'.drop()
";

const TYPESCRIPT: &str = "\
//- src/pen.ts
export class Pen {
  tip = { width: 1 };
  dip() { return this; }
}
export class Brush { dip() {} }
export interface Tool { pens: Pen[]; next(): Promise<Pen>; }
export default Pen;
//- src/index.ts
export { Pen as Quill } from './pen';
export * from './pen';
//- src/use.tsx
import Main, { Tool } from './pen';
import { Quill, Brush } from './index';

export const Board = () => <div />;

export async function use(tool: Tool, other: any) {
  const { pens, next } = tool;
  pens.forEach(pen => pen.dip());
  (await tool.next()).dip();
  const quill = new Quill();
  quill.dip().dip().tip.width++;
  new Brush().dip();
  new Main().dip();
  other.dip();
  const Quill2 = Brush;
  return <Board>{pens[0].dip()}</Board>;
}
//- src/old.js
const { Pen } = require('./pen');
exports.make = function make() { return new Pen(); };
//- src/older.js
const old = require('./old');
old.make().dip();
";

/// Where a name is used: `path:line`, with a `?` if it may mean something else.
fn references(project: &Sandbox, name: &str) -> String {
    let relation = Relation::References;
    let request = LocateRequest { relation, limit: 99, ..LocateRequest::new(name) };
    let answer = project.engine().locate(&request, &(), &Cancel::default()).unwrap();
    let mut places: Vec<String> = answer
        .usages
        .iter()
        .map(|one| format!("{}:{}{}", one.path, one.line, if one.is_possible { "?" } else { "" }))
        .collect();
    places.sort();
    places.join(" ")
}

fn project(text: &str) -> Sandbox {
    Sandbox::with(Setup { embedder: None, ..Setup::in_memory() }, text)
}

#[test]
fn python_follows_packages_managers_properties_and_elements() {
    let project = project(PYTHON);
    let found = |name: &str| references(&project, name);
    assert_eq!(found("Item.drop"), "app/main.py:11 app/main.py:14? app/main.py:16 app/main.py:8");
    assert_eq!(found("Box.drop"), "app/main.py:13 app/main.py:14?");
    assert_eq!(found("Base.close"), "app/main.py:9");
    assert_eq!(found("main.close"), "");
    assert_eq!(found("Desk.drawer"), "app/main.py:10 pkg/desk.py:13");
    assert_eq!(found("Item"), "app/main.py:15 pkg/desk.py:1 pkg/desk.py:12 pkg/desk.py:8");
}

#[test]
fn typescript_follows_exports_destructuring_callbacks_and_results() {
    let project = project(TYPESCRIPT);
    let found = |name: &str| references(&project, name);
    let dips = "src/older.js:2 src/use.tsx:11 src/use.tsx:11 src/use.tsx:13 src/use.tsx:14? src/use.tsx:16 src/use.tsx:8 \
                src/use.tsx:9";
    assert_eq!(found("Pen.dip"), dips);
    assert_eq!(found("Brush.dip"), "src/use.tsx:12 src/use.tsx:14?");
    assert_eq!(found("Tool.pens"), "src/use.tsx:7");
    assert_eq!(found("width"), "src/use.tsx:11");
    assert_eq!(found("Board"), "src/use.tsx:16 src/use.tsx:16");
    assert_eq!(found("make"), "src/older.js:2");
}
