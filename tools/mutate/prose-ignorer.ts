/** Mutants that no rule depends on: the words in which an action or an error explains itself, and branches that the types exclude. */
import { type Ignorer, type NodePath } from '@stryker-mutator/api/ignore';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** The part of Babel's path that is looked at. */
interface Path {
  readonly node: Node;
  readonly parent: Node | undefined;
  readonly parentPath: Path | null;
}
interface Node {
  readonly type: string;
  readonly key?: { readonly name?: string };
  readonly callee?: { readonly name?: string };
  readonly test?: Node | null;
  readonly consequent?: readonly { readonly argument?: Node; readonly expression?: Node }[];
}

const isText = ({ type }: Node): boolean => type === 'StringLiteral' || type === 'TemplateLiteral';
const explains = (node: Node | undefined): boolean =>
  (node?.type === 'ObjectProperty' && /^(because|why)$/.test(node.key?.name ?? '')) ||
  (node?.type === 'NewExpression' && /Error$/.test(node.callee?.name ?? ''));

/** `because: isFull ? 'full' : 'almost'` is an explanation as well. */
const isExplanation = (path: Path): boolean =>
  explains(path.parent) || (path.parent?.type === 'ConditionalExpression' && path.parentPath !== null && isExplanation(path.parentPath));

function isUnreachableCase({ type, test, consequent = [] }: Node): boolean {
  if (type !== 'SwitchCase' || test !== null) return false;
  const [statement] = consequent;
  const call = statement?.argument ?? statement?.expression;
  return consequent.length === 1 && call?.type === 'CallExpression' && call.callee?.name === 'unreachable';
}

function shouldIgnore(given: NodePath): string | undefined {
  const path = given as unknown as Path;
  if (isText(path.node) && isExplanation(path)) return 'words that explain, on which nothing depends';
  if (isUnreachableCase(path.node)) return 'the types exclude this case';
  return undefined;
}

const ignorer: Ignorer = { shouldIgnore };

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'prose', ignorer)];
