// A lint rule: no regular expression is made from a text while the program runs. Patterns of users backtrack: eight `*` that became `.*` held a
// node agent up for 46 s. What a user may write goes to `compileRe2` of @kruise/objects, or to a matcher that takes one step a character.

const message = 'Write the pattern as a literal; what comes from outside goes to compileRe2 or a matcher without backtracking.';

/** `new RegExp(x)` and `RegExp(x)` for any `x` but a literal. */
export const literalRegexp = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const check = (node) => {
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return;
      if (node.arguments[0]?.type !== 'Literal') context.report({ node, message });
    };
    return { NewExpression: check, CallExpression: check };
  },
};
