/** `tree`: an object with what belongs to it, once or until Ctrl-C. */
import { fitTree, treeChanges, treeOf, treeReads, type TreeNode } from '@kruise/insight';
import { milliseconds } from '@kruise/objects';
import type { Call, Run } from '../cli/command.ts';
import { UserError } from '../failure.ts';
import { changeLine, drawTree } from '../print/draw-tree.ts';
import { frameUpdate, linesThatFit } from '../print/live-frame.ts';
import { missingText, ObjectSet } from '../session/object-set.ts';
import { readTarget, selectTargets } from '../session/select-objects.ts';
import type { Session } from '../session.ts';

/** A tree of a thousand Pods has no more lines. */
const mostLines = 60;

/** Changes within this time are drawn together. */
const gathering = milliseconds(100);

const treeNow = (objects: ObjectSet, session: Session): TreeNode | undefined => {
  const { root } = objects;
  return root === undefined ? undefined : treeOf({ root, objects: objects.objects, now: session.clock.now() });
};

const reduced = (tree: TreeNode, call: Call, lines = mostLines): TreeNode => (call.flags.bool('all') ? tree : fitTree(tree, lines));

function linesOf(tree: TreeNode, call: Call, session: Session): readonly string[] {
  const terminal = session.terminal();
  return drawTree(reduced(tree, call), { columns: terminal?.columns, color: terminal?.color === true });
}

/** Prints trees: frames on a terminal, lines of changes into a pipe. */
class TreePrinter {
  readonly #call: Call;
  readonly #session: Session;
  #shown: readonly string[] = [];
  #width = 0;
  #last: TreeNode | undefined;

  constructor(call: Call, session: Session) {
    this.#call = call;
    this.#session = session;
  }

  print(tree: TreeNode): void {
    const terminal = this.#session.terminal();
    if (terminal === undefined) return this.#printChanges(tree);
    const fitted = reduced(tree, this.#call, Math.max(3, Math.min(mostLines, terminal.rows - 1)));
    const lines = linesThatFit(drawTree(fitted, terminal), terminal.rows);
    const isResized = this.#width !== 0 && this.#width !== terminal.columns;
    this.#session.out(isResized ? `\u001B[2J\u001B[H${frameUpdate([], lines)}` : frameUpdate(this.#shown, lines));
    this.#shown = lines;
    this.#width = terminal.columns;
  }

  #printChanges(tree: TreeNode): void {
    const { out, clock } = this.#session;
    const last = this.#last;
    this.#last = tree;
    if (last === undefined)
      out(
        linesOf(tree, this.#call, this.#session)
          .map((line) => `${line}\n`)
          .join(''),
      );
    else
      out(
        treeChanges(last, tree)
          .map((change) => `${changeLine(change, clock.now())}\n`)
          .join(''),
      );
  }
}

async function follow(objects: ObjectSet, call: Call, session: Session): Promise<void> {
  const printer = new TreePrinter(call, session);
  const draw = (): void => {
    const tree = treeNow(objects, session);
    if (tree !== undefined) printer.print(tree);
  };
  draw();
  let timer: { cancel(): void } | undefined;
  try {
    await objects.follow(() => {
      timer ??= session.clock.schedule(gathering, () => {
        timer = undefined;
        draw();
      });
    });
  } finally {
    timer?.cancel();
  }
}

export const run: Run = async (call, session) => {
  const targets = await selectTargets(call, session, call.args);
  const [first] = targets;
  if (first === undefined || targets.length > 1) throw new UserError('name one object, such as clone/web');
  const format = call.flags.text('output');
  if (!['', 'json'].includes(format))
    throw new UserError(`unable to match a printer suitable for the output format ${JSON.stringify(format)}, allowed formats are: json`);
  const objects = new ObjectSet(session, await readTarget(session, first), treeReads);
  await objects.read();
  for (const missing of objects.missing) session.warn(`Warning: the tree is not complete: ${missingText(missing)}`);
  if (call.flags.bool('watch')) {
    await follow(objects, call, session);
    throw new UserError('object has been deleted');
  }
  const tree = treeNow(objects, session);
  if (tree === undefined) return undefined;
  session.out(
    format === 'json'
      ? `${JSON.stringify(tree, undefined, 2)}\n`
      : linesOf(tree, call, session)
          .map((line) => `${line}\n`)
          .join(''),
  );
  return undefined;
};
