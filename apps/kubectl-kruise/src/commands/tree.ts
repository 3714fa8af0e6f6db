/** `tree`: an object with what belongs to it, once or until Ctrl-C. */
import { fitTree, PodNodes, treeChanges, treeOf, treeReads, type TreeNode } from '@kruise/insight';
import type { Call, Run } from '../cli/command.ts';
import { UserError } from '../failure.ts';
import { changeLine, drawTree } from '../print/draw-tree.ts';
import { FramePrinter, gatherChanges } from '../session/frame-printer.ts';
import { missingText, ObjectSet } from '../session/object-set.ts';
import { readTarget, selectTargets } from '../session/select-objects.ts';
import type { Session } from '../session.ts';

/** A tree of a thousand Pods has no more lines. */
const mostLines = 60;

const treeNow = (objects: ObjectSet, session: Session, podNodes?: PodNodes): TreeNode | undefined => {
  const { root } = objects;
  return root === undefined ? undefined : treeOf({ root, objects: objects.objects, now: session.clock.now() }, podNodes);
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
  readonly #frames: FramePrinter;
  #last: TreeNode | undefined;

  constructor(call: Call, session: Session) {
    this.#call = call;
    this.#session = session;
    this.#frames = new FramePrinter(session);
  }

  print(tree: TreeNode): void {
    const terminal = this.#session.terminal();
    if (terminal === undefined) return this.#printChanges(tree);
    const fitted = reduced(tree, this.#call, Math.max(3, Math.min(mostLines, terminal.rows - 1)));
    this.#frames.print(drawTree(fitted, terminal), terminal);
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
  const podNodes = new PodNodes();
  const draw = (): void => {
    const tree = treeNow(objects, session, podNodes);
    if (tree !== undefined) printer.print(tree);
  };
  draw();
  await gatherChanges(session, draw, (changed) => objects.follow(changed));
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
