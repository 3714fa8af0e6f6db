/** What a pass does about one node: at most one write. @see spec/image-pulling.md 5.3 */
import { labels, nodeImageLabels, nodeImages, virtualKubelet, type NodeImage } from '@kruise/api';
import { apiVersionOf, milliseconds, parseTime, seconds, shortest, type Milliseconds, type Node } from '@kruise/objects';
import { planCleanUp } from './plan-clean-up.ts';
import { planSilence, type Silence } from './plan-silence.ts';
import type { Context, Snapshot } from './snapshot.ts';

export type Action =
  | { readonly kind: 'Create'; readonly nodeImage: NodeImage; readonly because: string }
  | { readonly kind: 'Delete'; readonly nodeImage: NodeImage; readonly because: string }
  /** Labels and spec; what it changes enqueues the node again. */
  | { readonly kind: 'UpdateSpec'; readonly before: NodeImage; readonly after: NodeImage; readonly because: string }
  | {
      readonly kind: 'UpdateStatus';
      readonly before: NodeImage;
      readonly after: NodeImage;
      readonly silences: readonly Silence[];
      readonly because: string;
    };

export interface Plan {
  readonly action?: Action;
  readonly requeueAfter?: Milliseconds;
}

const nothing: Plan = {};

/** Shorter waits are spread over this and the next two seconds, so that nodes do not all come back at once. */
const shortestWait = seconds(3);
const spread = seconds(2);

/** Many NodeImages come due at the same moment; each gets its own place in the spread, always the same one. */
function comfortable(wait: Milliseconds, name: string): Milliseconds {
  if (wait >= shortestWait) return wait;
  let sum = 0;
  for (let i = 0; i < name.length; i += 1) sum = (sum * 31 + name.charCodeAt(i)) % 1000;
  return milliseconds(shortestWait + (spread * sum) / 1000);
}

/** How long until the Node has been ready for long enough: 0 or less when it has; undefined while it is not ready. */
export function untilCreation(node: Node, context: Context): Milliseconds | undefined {
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return undefined;
  return milliseconds((parseTime(ready.lastTransitionTime) ?? context.now) + context.creationDelay - context.now);
}

export const isVirtual = ({ metadata }: Node): boolean => metadata.labels?.[labels.nodeType] === virtualKubelet;

function planCreation(node: Node, context: Context): Plan {
  const wait = isVirtual(node) ? undefined : untilCreation(node, context);
  if (wait === undefined) return nothing;
  if (wait > 0) return { requeueAfter: wait };
  const { name, labels: carried } = node.metadata;
  const nodeImage: NodeImage = {
    apiVersion: apiVersionOf(nodeImages),
    kind: nodeImages.kind,
    metadata: { name, ...(carried === undefined ? {} : { labels: carried }) },
    spec: {},
  };
  return { action: { kind: 'Create', nodeImage, because: `the Node has been ready for ${context.creationDelay / 1000} s` } };
}

function planTasks(seen: Snapshot & { readonly nodeImage: NodeImage }, context: Context): Plan {
  const { name, nodeImage } = seen;
  const cleaned = planCleanUp(seen, context.now);
  if (cleaned.nodeImage !== nodeImage)
    return { action: { kind: 'UpdateSpec', before: nodeImage, after: cleaned.nodeImage, because: cleaned.because.join(', ') } };
  const { nodeImage: after, silences, requeueAfter } = planSilence(nodeImage, context.now);
  const wait = shortest([cleaned.requeueAfter, requeueAfter]);
  const because = silences.map(({ image, message }) => `${image}: ${message}`).join(', ');
  return {
    ...(after === nodeImage ? {} : { action: { kind: 'UpdateStatus', before: nodeImage, after, silences, because } }),
    ...(wait === undefined ? {} : { requeueAfter: comfortable(wait, name) }),
  };
}

export function plan(seen: Snapshot, context: Context): Plan {
  const { node, nodeImage } = seen;
  const isNodeDeleted = node === undefined || node.metadata.deletionTimestamp !== undefined;
  if (nodeImage === undefined) return isNodeDeleted ? nothing : planCreation(node, context);
  if (nodeImage.metadata.deletionTimestamp !== undefined) return nothing;
  if (!isNodeDeleted) return planTasks({ ...seen, nodeImage }, context);
  const isFake = nodeImage.metadata.labels?.[nodeImageLabels.fake] !== undefined;
  return isFake
    ? planTasks({ ...seen, node: undefined, nodeImage }, context)
    : { action: { kind: 'Delete', nodeImage, because: 'there is no Node of that name' } };
}
