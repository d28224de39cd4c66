// An occurrence list for `cargo xtask graph` from TypeScript's checker; README.md has the format.
//
//     npm install typescript
//     NODE_PATH=node_modules node typescript.js PROJECT [FOLDER ...] > list.jsonl
//
// Reads the `paths` of PROJECT/tsconfig.json. With folders, only files below them are read.
const ts = require('typescript');
const fs = require('fs');
const path = require('path');
const crypto = require('crypto');

const QUOTAS = { function: 25, method: 25, type: 20, constant: 15, field: 15, 'object member': 10 };
const TEST = /(^|\/)(tests?|__tests__|testing|bench(es|mark)?|examples?|docs?|www|scripts)(\/|$)|\.(test|spec|bench)\.\w+$/;
const SEED = '1';
// One definition with more would decide the figures alone.
const MOST_REFERENCES = 200;
const root = path.resolve(process.argv[2]);
const folders = process.argv.slice(3).map(folder => path.join(root, folder));
const relative = file => path.relative(root, file).split(path.sep).join('/');

function walk(folder, files) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (['node_modules', '.git', 'dist', 'vendor'].includes(entry.name)) continue;
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) walk(at, files);
    else if (/\.([mc]?tsx?|[mc]?jsx?)$/.test(entry.name) && !/\.d\.ts$/.test(entry.name)) files.push(at);
  }
  return files;
}

function paths() {
  const file = path.join(root, 'tsconfig.json');
  if (!fs.existsSync(file)) return {};
  const { config } = ts.parseConfigFileTextToJson(file, fs.readFileSync(file, 'utf8'));
  return config?.compilerOptions?.paths ?? {};
}

const files = (folders.length ? folders : [root]).flatMap(folder => walk(folder, [])).sort();
const own = new Set(files);
const program = ts.createProgram(files, {
  target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.Preserve, strict: true, skipLibCheck: true, noEmit: true, allowJs: true, types: [],
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], experimentalDecorators: true,
  baseUrl: root, paths: paths(), allowImportingTsExtensions: true,
});
const checker = program.getTypeChecker();

const isFunction = node => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

// The line of the function around a use; of the class that extends or implements it.
function enclosing(node) {
  for (let at = node.parent; at; at = at.parent) {
    if (ts.isHeritageClause(at)) return line(at.parent.name ?? at.parent);
    if (ts.isFunctionLike(at) && at.body) {
      const name = at.name ?? (isFunction(at) && at.parent.name);
      if (name) return line(name);
    }
  }
  return 0;
}

const isLocal = node => {
  for (let at = node.parent; at; at = at.parent) if (ts.isFunctionLike(at) && !ts.isTypeNode(at)) return true;
  return false;
};

// The kind of a definition; undefined for locals and what is not asked for.
function kindOf(node) {
  const inObject = ts.isObjectLiteralExpression(node.parent);
  if (ts.isFunctionDeclaration(node)) return 'function';
  if (ts.isVariableDeclaration(node)) return isFunction(node.initializer) ? 'function' : isLocal(node) ? undefined : 'constant';
  if (ts.isParameter(node)) return ts.isParameterPropertyDeclaration(node, node.parent) ? 'field' : undefined;
  if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isAccessor(node)) return inObject ? 'object member' : 'method';
  if (ts.isPropertyDeclaration(node)) return isFunction(node.initializer) ? 'method' : 'field';
  if (ts.isPropertySignature(node)) return 'field';
  if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) return 'object member';
  if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node)) return 'type';
  if (ts.isEnumMember(node)) return 'constant';
  if (ts.isBinaryExpression(node) || ts.isPropertyAccessExpression(node)) return 'field';
  return undefined;
}

function useOf(node) {
  let at = node;
  for (let up = node.parent; up; up = up.parent) if (ts.isImportDeclaration(up) || ts.isExportDeclaration(up)) return 'import';
  if (ts.isPropertyAccessExpression(at.parent) && at.parent.name === at || ts.isQualifiedName(at.parent) && at.parent.right === at) at = at.parent;
  const up = at.parent;
  if ((ts.isCallExpression(up) || ts.isNewExpression(up)) && up.expression === at) return 'call';
  if (ts.isTaggedTemplateExpression(up) && up.tag === at || ts.isDecorator(up)) return 'call';
  if (ts.isJsxOpeningLikeElement(up) || ts.isJsxClosingElement(up)) return 'call';
  if (ts.isExpressionWithTypeArguments(up) && ts.isHeritageClause(up.parent)) return 'base';
  if (ts.isTypeNode(up) || ts.isExportAssignment(up)) return 'type';
  return at === node ? 'value' : 'member';
}

function line(node) {
  const file = node.getSourceFile();
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}

function symbolOf(node) {
  let symbol;
  try {
    symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent) : checker.getSymbolAtLocation(node);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  } catch { return undefined; }
  return symbol;
}

const isName = node => ts.isIdentifier(node) || ts.isPrivateIdentifier(node)
  || ts.isStringLiteral(node) && (ts.isPropertyAssignment(node.parent) || ts.isMethodDeclaration(node.parent) || ts.isPropertySignature(node.parent)) && node.parent.name === node;

const definitions = new Map(); // place -> record
const undecided = new Map(); // name -> places
const uses = []; // [place of the first declaration, name, node, places of the others]

// `const { name } = value` uses the member, besides declaring a variable.
function destructured(node) {
  if (!ts.isBindingElement(node.parent) || node.parent.name !== node || node.parent.propertyName) return;
  if (!ts.isObjectBindingPattern(node.parent.parent) || node.parent.dotDotDotToken) return;
  const symbol = checker.getTypeAtLocation(node.parent.parent).getProperty(node.text);
  const places = (symbol?.declarations ?? []).filter(one => own.has(one.getSourceFile().fileName))
    .map(one => [relative(one.getSourceFile().fileName), line(ts.getNameOfDeclaration(one) ?? one)]);
  if (places.length) uses.push([places, symbol.name, node]);
}

function visit(node) {
  if (isName(node)) {
    destructured(node);
    const symbol = symbolOf(node);
    const declared = (symbol?.declarations ?? []).map(one => ({ one, name: ts.getNameOfDeclaration(one) ?? one, file: one.getSourceFile().fileName }));
    const places = declared.filter(({ file }) => own.has(file));
    if (!declared.length) {
      if (!undecided.has(node.text)) undecided.set(node.text, []);
      undecided.get(node.text).push([relative(node.getSourceFile().fileName), line(node)]);
    } else if (places.length && !ts.isSourceFile(places[0].one)) {
      const at = places.map(({ name, file }) => [relative(file), line(name)]);
      const kind = kindOf(places[0].one);
      if (places[0].name === node && kind) {
        definitions.set(`${at[0].join(':')}:${node.text}`, { path: at[0][0], line: at[0][1], name: node.text, kind, declarations: at.slice(1), references: [], undecided: [] });
      } else if (!places.some(({ name }) => name === node)) uses.push([at, symbol.name, node]);
    }
  }
  ts.forEachChild(node, visit);
}

for (const file of program.getSourceFiles()) if (own.has(file.fileName)) visit(file);
for (const [places, name, node] of uses) {
  places.forEach((place, index) => {
    const definition = definitions.get(`${place.join(':')}:${name}`);
    const use = { path: relative(node.getSourceFile().fileName), line: line(node), kind: useOf(node), enclosing: enclosing(node) };
    // A member of a union: a reference to the first, perhaps to the others.
    if (definition && index === 0) definition.references.push(use);
    else if (definition) definition.undecided.push([use.path, use.line]);
  });
}
const rank = one => crypto.createHash('sha1').update(`${SEED}|${one.path}:${one.line}:${one.name}`).digest('hex');
const namesakes = new Map();
for (const { name } of definitions.values()) namesakes.set(name, (namesakes.get(name) ?? 0) + 1);
console.log(JSON.stringify({ files: files.map(relative) }));
for (const [kind, quota] of Object.entries(QUOTAS)) {
  const all = [...definitions.values()].filter(one => one.kind === kind && one.name.length > 1 && !TEST.test(one.path) && one.references.length <= MOST_REFERENCES);
  all.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  for (const one of all.slice(0, quota)) {
    one.undecided.push(...(undecided.get(one.name) ?? []));
    console.log(JSON.stringify({ ...one, namesakes: namesakes.get(one.name) }));
  }
}
