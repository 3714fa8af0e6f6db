// A lint rule: no walk of a list for each item of another one. Both may be lists of the same user, and 1,000 x 10,000 stops a thread for seconds. A walk
// of a list that belongs to the item is as long as the object; a list that the program writes is short.

const walks = new Set(['every', 'filter', 'find', 'findIndex', 'findLast', 'flatMap', 'forEach', 'map', 'reduce', 'reduceRight', 'some']);
const searches = new Set(['includes', 'indexOf', 'lastIndexOf']);

const message =
  'Walks {{list}} for each item of {{outer}}: make a Set, a Map or an index of it once, or bound one of the lists by a Limit and name it where you disable this rule.';

const methodOf = ({ callee }) => (callee.type === 'MemberExpression' && !callee.computed ? callee.property.name : undefined);
const isFunction = (node) => node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';

/** What is walked, and the node that runs once for each item; undefined for what is no walk. */
function walkOf(node) {
  if (node.type === 'ForOfStatement') return { list: node.right, body: node.body };
  if (node.type !== 'CallExpression') return undefined;
  const method = methodOf(node);
  if (walks.has(method)) return { list: node.callee.object, body: isFunction(node.arguments[0]) ? node.arguments[0] : undefined };
  // A search for a text that the program writes is one in a text.
  const isOfList = searches.has(method) && node.arguments.length === 1 && node.arguments[0].type !== 'Literal';
  return isOfList ? { list: node.callee.object, body: undefined } : undefined;
}

/** The walk whose body this node is in, up to the function that it is in. */
function outerOf(node) {
  for (let [inner, outer] = [node, node.parent]; outer; [inner, outer] = [outer, outer.parent]) {
    const walk = walkOf(outer);
    if (walk?.body !== undefined && walk.body === inner) return { ...walk, node: outer };
    if (isFunction(inner) || inner.type === 'FunctionDeclaration') return undefined;
  }
  return undefined;
}

/** Lists that the program writes: literals, and variables of the module or global. */
const isWritten = (list, variables) =>
  (list.type === 'ArrayExpression' && list.elements.every((element) => element?.type !== 'SpreadElement')) ||
  variables.every(({ scope }) => scope.type === 'module' || scope.type === 'global');

const isWithin = ([start, end], [from, until]) => from <= start && end <= until;

/** Declarations of the variables that an expression reads; undefined for globals. */
function variablesIn(expression, sourceCode) {
  const found = [];
  const visit = (node) => {
    if (node.type === 'Identifier') {
      for (let scope = sourceCode.getScope(node); scope; scope = scope.upper) {
        const reference = scope.references.find(({ identifier }) => identifier === node);
        if (reference?.resolved) return void found.push(reference.resolved);
      }
      return;
    }
    for (const key of sourceCode.visitorKeys[node.type] ?? []) for (const child of [node[key]].flat()) if (child) visit(child);
  };
  visit(expression);
  return found;
}

/** Reports a list that depends on no item of the walk around it, unless the program writes one of the two lists. */
export const crossProduct = {
  meta: { type: 'problem', schema: [], messages: { crossProduct: message } },
  create(context) {
    const { sourceCode } = context;
    const check = (node) => {
      const walk = walkOf(node);
      const outer = walk && outerOf(node);
      if (!outer) return;
      const variables = variablesIn(walk.list, sourceCode);
      const inner = variables.some(({ identifiers }) => identifiers.some(({ range }) => isWithin(range, outer.node.range)));
      if (inner || isWritten(walk.list, variables) || isWritten(outer.list, variablesIn(outer.list, sourceCode))) return;
      context.report({
        node,
        messageId: 'crossProduct',
        data: { list: sourceCode.getText(walk.list), outer: sourceCode.getText(outer.list) },
      });
    };
    return { CallExpression: check, ForOfStatement: check };
  },
};
