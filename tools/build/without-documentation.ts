/**
 * Makes a bundle omit texts that only generated pages and CRDs show: descriptions of fields, of columns, of limits and of feature gates. What
 * programs read, such as defaults and bounds, stays.
 */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import ts from 'typescript';

/** The members whose text is documentation. */
const documenting = new Set(['description', 'bounds', 'beyond', 'enforcedBy']);
/** What `kubectl get` prints is data of the CRD alone. */
const columnsType = 'readonly PrinterColumn[]';
/** Functions of `feature-gates.ts` whose last parameter is the effect of a gate. */
const gates = new Set(['alpha', 'beta']);
/** The modules whose functions take a description as the first parameter. */
const builders = /\/(builder|shared|probe|image-pull|meta-condition|\w+-spec)\.ts$/;

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken && isText(node.left) && isText(node.right));

/** Returns the names that a file imports from the modules of builders. */
function buildersIn(file: ts.SourceFile): ReadonlySet<string> {
  const imports = file.statements
    .filter(ts.isImportDeclaration)
    .filter((one) => builders.test((one.moduleSpecifier as ts.StringLiteral).text));
  return new Set(
    imports.flatMap(({ importClause }) => {
      const bindings = importClause?.namedBindings;
      return bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements.map(({ name }) => name.text) : [];
    }),
  );
}

/** Returns what a node has for pages and CRDs alone: an argument of a function, the text of a member, or columns. */
function documentationIn(node: ts.Node, names: ReadonlySet<string>): ts.Node | undefined {
  if (ts.isVariableDeclaration(node)) return node.type?.getText() === columnsType ? node.initializer : undefined;
  if (ts.isPropertyAssignment(node)) return documenting.has(node.name.getText()) && isText(node.initializer) ? node.initializer : undefined;
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return undefined;
  const { text } = node.expression;
  const argument = names.has(text) ? node.arguments[0] : gates.has(text) ? node.arguments.at(-1) : undefined;
  return argument !== undefined && isText(argument) ? argument : undefined;
}

/** Returns a declaration of schemas or limits with empty texts in place of its documentation. */
export function withoutDocumentationIn(source: string): string {
  const file = ts.createSourceFile('declaration.ts', source, ts.ScriptTarget.Latest, true);
  const names = buildersIn(file);
  let [text, at] = ['', 0];
  const visit = (node: ts.Node): void => {
    const documentation = documentationIn(node, names);
    if (documentation !== undefined) {
      text += source.slice(at, documentation.getStart()) + (isText(documentation) ? "''" : '[]');
      at = documentation.getEnd();
    }
    ts.forEachChild(node, (child) => (child === documentation ? undefined : visit(child)));
  };
  visit(file);
  return text + source.slice(at);
}

export const withoutDocumentation: Plugin = {
  name: 'without-documentation',
  setup(build) {
    build.onLoad(
      { filter: /\/libs\/(api\/src\/(kinds\/\w+\/schema|schema\/[\w-]+|gates\/feature-gates)|objects\/src\/limits\/\w+)\.ts$/ },
      ({ path }) => ({
        contents: withoutDocumentationIn(readFileSync(path, 'utf8')),
        loader: 'ts',
      }),
    );
  },
};
