/** The events of an ImagePullJob, one function each. */
import type { ImagePullJob } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';
import { formatKey, imageLimits, messageOf } from '@kruise/objects';
import { pullSecretTypes, type Unfit } from '@kruise/kinds/images';
import type { RefusedSecret } from '@kruise/kinds/imagepulljob';

/** An event source bound to one job. */
export interface JobEvents {
  pullSecretMissing(secret: string): void;
  pullSecretUnfit(refused: RefusedSecret): void;
  pullSecretRefused(error: unknown): void;
  pullSecretsUnreadable(): void;
  nodeRefused(node: string, error: unknown): void;
  invalid(why: string): void;
  editedAfterEnd(): void;
}

const unfitText = (why: Unfit): string =>
  why.kind === 'OtherType'
    ? `is of type ${why.type} and is not copied for the nodes; only Secrets of type ${pullSecretTypes.join(' and ')} are`
    : `has ${why.bytes} bytes and is not given to the nodes, which take ${imageLimits.pullSecretBytes.value} at most`;

export function jobEvents(recorder: EventRecorder, job: ImagePullJob): JobEvents {
  const warning = (reason: string, message: string): void => recorder.event(job, 'Warning', reason, message);
  return {
    pullSecretMissing: (secret) => warning('PullSecretMissing', `there is no Secret ${secret}; the image is pulled without it`),
    pullSecretUnfit: ({ key, why }) =>
      warning('PullSecretRefused', `Secret ${formatKey(key)} ${unfitText(why)}; the image is pulled without it`),
    pullSecretRefused: (error) => warning('PullSecretRefused', `a pull secret cannot be copied for the nodes: ${messageOf(error)}`),
    pullSecretsUnreadable: () =>
      warning('PullSecretsUnreadable', 'the manager cannot read Secrets (yet); the job waits. See installation.secretsAccess of the chart'),
    nodeRefused: (node, error) =>
      warning('NodeImageRefused', `the task for the image cannot be given to node ${node}: ${messageOf(error)}`),
    invalid: (why) => warning('InvalidSpec', why),
    editedAfterEnd: () =>
      recorder.event(job, 'Normal', 'JobComplete', 'the job has completed: a change of it has no effect, make a new job'),
  };
}
