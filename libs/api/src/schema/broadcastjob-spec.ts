/** The spec of a BroadcastJob (spec/broadcastjob.md 2.1); AdvancedCronJob embeds it. */
import { boolean, choice, int32, intOrString, object, optional, type Infer } from './builder.ts';
import { completionPolicy, podTemplate } from './shared.ts';

export const broadcastJobSpec = object('The Pod to run, the nodes, and when the job is complete.', {
  completionPolicy: optional(completionPolicy('When the job is complete and when it is deleted.')),
  failurePolicy: optional(
    object('What happens when a Pod fails.', {
      restartLimit: optional(
        int32(
          'Number of restarts of a Pod, summed over its containers, above which the Pod counts as failed; with restartPolicy OnFailure. Default 0.',
        ),
      ),
      type: optional(
        choice('FailFast ends the job and deletes its running Pods, Pause pauses the job, Continue carries on. Default FailFast.', [
          'FailFast',
          'Pause',
          'Continue',
        ]),
      ),
    }),
  ),
  parallelism: optional(
    intOrString('How many Pods run at a time: a number, or a percentage of the nodes (rounded up). Default: all at once; 0 starts none.'),
  ),
  paused: optional(boolean('true: no new Pods are created; running ones continue. Default false.')),
  template: podTemplate(
    'The Pod to run once on each node that its node selector, affinity and tolerations allow. restartPolicy must be Never or OnFailure.',
  ),
});
export type BroadcastJobSpec = Infer<typeof broadcastJobSpec>;
