/** The form of a stuck state that something outside of the manager causes, and the objects that most of them need. */
import type { StuckCluster } from './stuck-cluster.testing.ts';

/** What `why` must answer about one object: its first cause. */
export interface Answer {
  /** As on the command line: `deployment/web`. */
  readonly target: string;
  readonly reason: string;
  readonly message: RegExp;
  /** Matches one piece of evidence, written as `Pod web-1 status.phase: Pending`. */
  readonly evidence: RegExp;
  readonly next: RegExp;
}

/** A sign in the JSON of an object of the namespace, which shows that the state has arisen. */
export interface Sign {
  /** `pods`, `events`, or the group and version before it: `apps/v1/replicasets`. */
  readonly list: string;
  readonly text: RegExp;
}

/** A state in a namespace of its own, beside a CloneSet `sound` that is complete. */
export interface StuckState {
  /** What is wrong, as the name of a test. */
  readonly name: string;
  readonly namespace: string;
  /** Called when the CloneSet `sound` is complete, before the objects are created. */
  readonly prepare?: (cluster: StuckCluster) => Promise<void>;
  readonly objects: readonly object[];
  /** Called after the objects were created. */
  readonly disturb?: (cluster: StuckCluster) => Promise<void>;
  readonly signs: readonly Sign[];
  /** How far the clock of the plugin is ahead, for causes that must last. */
  readonly minutesLater?: number;
  readonly answers: readonly Answer[];
}

export const image = (tag: string): string => `registry.example/app:${tag}`;

/** Returns a template of one container `main`. @param container more members of the container @param spec more members of the Pod */
export const template = (app: string, spec: object = {}, container: object = {}): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image: image('1'), ...container }], ...spec },
});

const object = (apiVersion: string, kind: string, name: string, rest: object): object => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
});

const workload = (apiVersion: string, kind: string, name: string, spec: object): object =>
  object(apiVersion, kind, name, {
    spec: { replicas: 2, selector: { matchLabels: { app: name } }, template: template(name), ...spec },
  });

export const deployment = (name: string, spec: object = {}): object => workload('apps/v1', 'Deployment', name, spec);
export const cloneSet = (name: string, spec: object = {}): object => workload('apps.kruise.io/v1beta1', 'CloneSet', name, spec);
export const statefulSet = (apiVersion: string, name: string, spec: object = {}): object => workload(apiVersion, 'StatefulSet', name, spec);

/** Returns an object of another kind. */
export const other = object;

/** The condition `ReplicaFailure` of a Deployment has the words of the API server. */
export const refusedDeployment = (text: RegExp): Sign => ({ list: 'apps/v1/deployments', text });
export const blockedCloneSet = (reason: string): Sign => ({
  list: 'apps.kruise.io/v1beta1/clonesets',
  text: new RegExp(`"reason":"${reason}"`),
});
