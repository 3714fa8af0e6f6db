// A lint rule: no text names a place outside of the project, seen from the file that it stands in. A clone with nothing beside it has
// everything that its programs and tests read.
import { dirname, relative, resolve } from 'node:path';

const message = 'This leads out of the project, where a clone has nothing: what tests compare with is in testdata/ and docs/spec/.';

/** @param {string} root of the project */
export const insideTheProject = (root) => ({
  meta: { type: 'problem', schema: [] },
  create(context) {
    const check = (node, text) => {
      if (!/^\.\.(\/|$)/.test(text)) return;
      if (/^\.\.(\/|$)/.test(relative(root, resolve(dirname(context.filename), text)))) context.report({ node, message });
    };
    return {
      Literal: (node) => check(node, String(node.value)),
      TemplateElement: (node) => check(node, String(node.value.cooked)),
    };
  },
});
