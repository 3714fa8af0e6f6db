export { choosesNode, nodesOfJob, orderedWorkloads, workloadOf } from './nodes-of-job.ts';
export { concludeTasks, faultOf, planPass, stagesOf } from './plan-pass.ts';
export type { Action, PassPlan, SecretsAwaited, Seen, TaskResults } from './plan-pass.ts';
export {
  isOfSameType,
  lingersFor,
  newCopy,
  planRelease,
  planSecrets,
  referenceTo,
  sourceKeyOf,
  usersOf,
  wantedSecretsOf,
} from './plan-secrets.ts';
export type { RefusedSecret, SecretAction, WantedSecret } from './plan-secrets.ts';
export { fits, withTask, withoutFormerTasks } from './plan-task.ts';
export type { Order } from './plan-task.ts';
export type { Action as TaskAction } from './plan.ts';
export type { Context, PullSecretReference, Snapshot } from './snapshot.ts';
export { nodeChoiceOf, readTerms } from './terms.ts';
export type { Terms } from './terms.ts';
