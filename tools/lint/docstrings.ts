/** What the entry points of a library export, and which of it has a doc comment where it is declared. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** One name that an entry point exports. */
export interface ExportedName {
  readonly name: string;
  /** The file that declares it. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly isDocumented: boolean;
}

type ReadSource = (file: string) => ts.SourceFile;

const hasDocComment = (node: ts.Node): boolean => ts.getJSDocCommentsAndTags(node).some(ts.isJSDoc);

const declaredNames = (statement: ts.Statement): readonly string[] => {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText());
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
};

const isOnNextLine = (source: ts.SourceFile, before: ts.Statement, after: ts.Statement): boolean =>
  source.getLineAndCharacterOfPosition(after.getStart(source, true)).line === source.getLineAndCharacterOfPosition(before.end).line + 1;

/** What the members of a family have in common: their declared type (`ResourceType`) or the function that makes them; undefined for a function or a type. */
function familyOf(statement: ts.Statement): string | undefined {
  if (!ts.isVariableStatement(statement)) return undefined;
  const [{ type, initializer } = { type: undefined, initializer: undefined }] = statement.declarationList.declarations;
  if (initializer === undefined || ts.isFunctionLike(initializer)) return undefined;
  if (type !== undefined) return ts.isTypeReferenceNode(type) ? type.typeName.getText() : type.getText();
  return ts.isCallExpression(initializer) ? initializer.expression.getText() : undefined;
}

/** `type X = Infer<typeof schema>`: the schema of the same file, whose description the reference and the CRD show. */
function schemaOf(statement: ts.Statement): string | undefined {
  if (!ts.isTypeAliasDeclaration(statement) || !ts.isTypeReferenceNode(statement.type)) return undefined;
  const { typeName, typeArguments: [argument] = [] } = statement.type;
  return typeName.getText() === 'Infer' && argument !== undefined && ts.isTypeQueryNode(argument) ? argument.exprName.getText() : undefined;
}

const isDescription = (property: ts.ObjectLiteralElementLike): boolean =>
  ts.isPropertyAssignment(property) && property.name.getText() === 'description' && ts.isStringLiteralLike(property.initializer);

/** `const schema = object('What it is.', …)` or `const declaration = { description: 'What it is.', … }`. */
const describesItself = (statement: ts.Statement): boolean =>
  ts.isVariableStatement(statement) &&
  statement.declarationList.declarations.some(({ initializer }) => {
    if (initializer === undefined) return false;
    if (ts.isObjectLiteralExpression(initializer)) return initializer.properties.some(isDescription);
    const first = ts.isCallExpression(initializer) ? initializer.arguments[0] : undefined;
    return first !== undefined && ts.isStringLiteralLike(first) && first.text.includes(' ');
  });

/**
 * Whether a comment describes `source.statements[at]`. Beside its own doc comment three things count:
 * - A family is documented by the comment of its first member: constants, no functions, of one declared type or made by one function, on consecutive lines.
 *   An empty line or a comment ends it.
 * - A declaration of a kind is documented by its `description`, which the CRD and the reference show.
 * - A type that is inferred from a schema is documented by the description in that schema.
 */
function isDocumented(source: ts.SourceFile, at: number): boolean {
  const statement = source.statements[at];
  const before = source.statements[at - 1];
  if (statement === undefined) return false;
  if (hasDocComment(statement) || describesItself(statement)) return true;
  const schema = schemaOf(statement);
  if (schema !== undefined) return source.statements.some((other) => declaredNames(other).includes(schema) && describesItself(other));
  const family = familyOf(statement);
  if (before === undefined || family === undefined || family !== familyOf(before)) return false;
  return isOnNextLine(source, before, statement) && isDocumented(source, at - 1);
}

interface Exported {
  readonly exportedName: string;
  /** The name inside `from`, or inside this file. */
  readonly name: string;
  /** A module, as written; undefined for what the file declares itself. */
  readonly from: string | undefined;
}

function exportedFrom(statement: ts.Statement): readonly Exported[] {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause, moduleSpecifier } = statement;
    const from = moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : undefined;
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
    return exportClause.elements.map(({ name, propertyName }) => ({ exportedName: name.text, name: (propertyName ?? name).text, from }));
  }
  const isExported =
    ts.canHaveModifiers(statement) && statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  return isExported ? declaredNames(statement).map((name) => ({ exportedName: name, name, from: undefined })) : [];
}

/** The module that a file imports a name from, and its name there. */
function importOf(source: ts.SourceFile, name: string): { readonly name: string; readonly from: string } | undefined {
  for (const statement of source.statements.filter(ts.isImportDeclaration)) {
    const bindings = statement.importClause?.namedBindings;
    const found =
      bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements.find((one) => one.name.text === name) : undefined;
    if (found !== undefined && ts.isStringLiteral(statement.moduleSpecifier))
      return { name: (found.propertyName ?? found.name).text, from: statement.moduleSpecifier.text };
  }
  return undefined;
}

const isOwn = (module: string | undefined): module is string => module?.startsWith('.') === true;

/** Where `name` of a file is declared; undefined when another package declares it. */
function declarationOf(file: string, name: string, read: ReadSource): Omit<ExportedName, 'name'> | undefined {
  const source = read(file);
  const declared = source.statements.flatMap((statement, at) => (declaredNames(statement).includes(name) ? [at] : []));
  const [first] = declared;
  if (first !== undefined)
    return {
      file,
      line: source.getLineAndCharacterOfPosition(source.statements[first]?.getStart(source) ?? 0).line + 1,
      isDocumented: declared.some((at) => isDocumented(source, at)),
    };
  const exported = source.statements.flatMap(exportedFrom);
  const reexport = exported.find((one) => one.exportedName === name);
  const next = reexport?.from === undefined ? importOf(source, reexport?.name ?? name) : { name: reexport.name, from: reexport.from };
  if (next === undefined) throw new Error(`${file} does not declare ${name}`);
  return isOwn(next.from) ? declarationOf(join(dirname(file), next.from), next.name, read) : undefined;
}

/** What a file exports, each name with its declaration. The linter refuses `export *`. */
function namesOf(file: string, read: ReadSource): readonly ExportedName[] {
  return read(file)
    .statements.flatMap(exportedFrom)
    .flatMap(({ exportedName, name, from }) => {
      if (from !== undefined && !isOwn(from)) return [];
      const target = from === undefined ? file : join(dirname(file), from);
      const found = declarationOf(target, name, read);
      return found === undefined ? [] : [{ name: exportedName, ...found }];
    });
}

/** What `entry` exports, in its order; what other packages declare is omitted. */
export function exportedNames(
  entry: string,
  text: (file: string) => string = (file) => readFileSync(file, 'utf8'),
): readonly ExportedName[] {
  const parsed = new Map<string, ts.SourceFile>();
  return namesOf(entry, (file) => {
    const source = parsed.get(file) ?? ts.createSourceFile(file, text(file), ts.ScriptTarget.Latest, true);
    parsed.set(file, source);
    return source;
  });
}
