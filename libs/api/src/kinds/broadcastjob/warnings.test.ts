/** Warnings about BroadcastJobs. @see spec/broadcastjob.md 5.5 and 8 */
import { describe, expect, it } from '@jest/globals';
import { withMembers, type JsonObject } from '@kruise/objects';
import { bare, filled, having } from './admission.testing.ts';
import { broadcastJobWarnings } from './rules.ts';

const warningsOf = (object: JsonObject, oldObject?: JsonObject): readonly string[] =>
  broadcastJobWarnings(filled(object, oldObject), { oldObject });
const withSpec = (members: JsonObject, object = bare): JsonObject =>
  having('spec', withMembers(object['spec'] as JsonObject, members), object);
const restarting = (members: JsonObject): JsonObject => withSpec(members, having('spec.template.spec.restartPolicy', 'OnFailure'));
const over = (type: string, spec: JsonObject = {}): JsonObject => ({
  ...filled(withSpec(spec)),
  status: { conditions: [{ type, status: 'True' }] },
});
const other = having('spec.template.spec.containers.0.image', 'other');

describe('a BroadcastJob gets a warning', () => {
  it.each<{ name: string; object: JsonObject; then: string }>([
    {
      name: 'for an unknown completion policy',
      object: withSpec({ completionPolicy: { type: 'never' } }),
      then: 'spec.completionPolicy.type: "never" is none of Always, Never and acts as Always; did you mean Never?',
    },
    {
      name: 'for an unknown failure policy',
      object: withSpec({ failurePolicy: { type: 'Ignore' } }),
      then: 'spec.failurePolicy.type: "Ignore" is none of FailFast, Pause, Continue and acts as Continue',
    },
    {
      name: 'for a parallelism in words',
      object: withSpec({ parallelism: '1.5%' }),
      then: 'spec.parallelism: "1.5%" is neither a number nor a percentage, so that no Pod is started',
    },
    { name: 'for a parallelism of 0', object: withSpec({ parallelism: 0 }), then: 'spec.parallelism: with 0 no Pod is started' },
    { name: 'for a parallelism of 0%', object: withSpec({ parallelism: '0%' }), then: 'spec.parallelism: with "0%" no Pod is started' },
    { name: 'for a negative parallelism', object: withSpec({ parallelism: -1 }), then: 'spec.parallelism: with -1 no Pod is started' },
    {
      name: 'for a limit of restarts that never happen',
      object: withSpec({ failurePolicy: { restartLimit: 3 } }),
      then: 'spec.failurePolicy.restartLimit: has no effect with restartPolicy Never',
    },
    {
      name: 'for restarts without a limit, which is 0',
      object: restarting({}),
      then: 'spec.failurePolicy.restartLimit: is 0 by default, so that the first restart of a container makes its Pod count as failed',
    },
    {
      name: 'for a negative limit of restarts',
      object: restarting({ failurePolicy: { restartLimit: -1 } }),
      then: 'spec.failurePolicy.restartLimit: with -1 every Pod counts as failed as soon as it is created',
    },
    {
      name: 'for restarts that may have no end',
      object: restarting({ failurePolicy: { type: 'Continue', restartLimit: 3 } }),
      then: 'spec.failurePolicy.type: with Continue and restartPolicy OnFailure a Pod that always fails keeps the job from finishing; set completionPolicy.activeDeadlineSeconds',
    },
    {
      name: 'for a deadline at the start',
      object: withSpec({ completionPolicy: { activeDeadlineSeconds: 0 } }),
      then: 'spec.completionPolicy.activeDeadlineSeconds: with 0 the job fails before a Pod can finish',
    },
    {
      name: 'for a deadline before the start, however long ago',
      object: withSpec({ completionPolicy: { activeDeadlineSeconds: -9007199254740993n } }),
      then: 'spec.completionPolicy.activeDeadlineSeconds: with -9007199254740993 the job fails before a Pod can finish',
    },
    {
      name: 'for a negative time to live',
      object: withSpec({ completionPolicy: { ttlSecondsAfterFinished: -5 } }),
      then: 'spec.completionPolicy.ttlSecondsAfterFinished: -5 acts as 0',
    },
    {
      name: 'for the name of a node',
      object: having('spec.template.spec.nodeName', 'node-1'),
      then: 'spec.template.spec.nodeName: has no effect, the job runs on every fitting node; choose nodes by nodeSelector or node affinity',
    },
  ])('$name', ({ object, then }) => expect(warningsOf(object)).toEqual([then]));

  it.each<{ name: string; oldObject: JsonObject; object?: JsonObject; changed?: string }>([
    { name: 'for a new template after completion', oldObject: over('Complete'), changed: 'template' },
    { name: 'for a new template after failure', oldObject: over('Failed'), changed: 'template' },
    {
      name: 'for a new template after a failure of a job that does not complete',
      oldObject: over('Failed', { completionPolicy: { type: 'Never' } }),
      object: withSpec({ completionPolicy: { type: 'Never' } }, other),
      changed: 'template',
    },
    {
      name: 'for more at a time after the end',
      oldObject: over('Complete'),
      object: withSpec({ parallelism: 3, failurePolicy: { type: 'Pause' } }),
      changed: 'parallelism, failurePolicy',
    },
    { name: 'but not for a new template of a running job', oldObject: filled(bare) },
    { name: 'but not for the same manifest again', oldObject: over('Complete'), object: bare },
    {
      name: 'but not for another time to live',
      oldObject: over('Complete'),
      object: withSpec({ completionPolicy: { ttlSecondsAfterFinished: 5 } }),
    },
    {
      name: 'but not when the job continues as one that never ends',
      oldObject: over('Complete'),
      object: withSpec({ completionPolicy: { type: 'Never' } }, other),
    },
  ])('$name', ({ oldObject, object = other, changed }) => {
    const warning = `spec: the job has finished, so that changes of ${String(changed)} have no effect; create another job`;
    expect(warningsOf(object, oldObject)).toEqual(changed === undefined ? [] : [warning]);
  });
});

describe('a BroadcastJob gets no warning', () => {
  it.each<{ name: string; object: JsonObject }>([
    { name: 'with its defaults', object: bare },
    { name: 'that never ends', object: withSpec({ completionPolicy: { type: 'Never' }, failurePolicy: { type: 'Pause' } }) },
    { name: 'with a percentage', object: withSpec({ parallelism: '50%' }) },
    { name: 'with restarts and an explicit limit of 0', object: restarting({ failurePolicy: { restartLimit: 0 } }) },
    {
      name: 'that continues until its deadline',
      object: restarting({ failurePolicy: { type: 'Continue', restartLimit: 3 }, completionPolicy: { activeDeadlineSeconds: 60 } }),
    },
    { name: 'deleted at once', object: withSpec({ completionPolicy: { ttlSecondsAfterFinished: 0 } }) },
  ])('$name', ({ object }) => expect(warningsOf(object)).toEqual([]));
});
