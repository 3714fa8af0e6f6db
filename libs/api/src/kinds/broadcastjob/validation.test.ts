/** Faults of BroadcastJobs, each rule with and without its fault. @see spec/broadcastjob.md 4.2 */
import { describe, expect, it } from '@jest/globals';
import { formatFieldError, withMembers, type JsonObject } from '@kruise/objects';
import { bare, filled, having } from './admission.testing.ts';
import { validateBroadcastJob } from './rules.ts';

const faultsOf = (object: JsonObject): readonly string[] =>
  validateBroadcastJob(object, { allowPrivileged: false, hostNetworkHostPorts: true }).map(formatFieldError);
const withSpec = (members: JsonObject): JsonObject => having('spec', withMembers(bare['spec'] as JsonObject, members));
const long = 'a'.repeat(64);
const notPolicy = (value: string): string =>
  `spec.template.spec.restartPolicy: Invalid value: "${value}": pod restartPolicy can only be Never or OnFailure`;

describe('a BroadcastJob', () => {
  it.each<{ name: string; object: JsonObject }>([
    { name: 'is accepted with its defaults', object: bare },
    { name: 'may have a name in capital letters', object: having('metadata.name', 'Job-1-') },
    { name: 'may have a name of 63 characters', object: having('metadata.name', 'a'.repeat(63)) },
    { name: 'may have its name generated', object: having('metadata', { generateName: 'job-' }) },
    { name: 'may restart its containers', object: having('spec.template.spec.restartPolicy', 'OnFailure') },
    {
      name: 'may end by a deadline and be deleted',
      object: withSpec({ completionPolicy: { type: 'Always', activeDeadlineSeconds: 10, ttlSecondsAfterFinished: 0 } }),
    },
    { name: 'may never end', object: withSpec({ completionPolicy: { type: 'Never' } }) },
    {
      name: 'may have unknown types of policies',
      object: withSpec({ completionPolicy: { type: 'X', activeDeadlineSeconds: 1 }, failurePolicy: { type: 'X', restartLimit: -1 } }),
    },
    { name: 'may have any text for its parallelism', object: withSpec({ parallelism: 'some' }) },
    { name: 'may have a negative parallelism', object: withSpec({ parallelism: -1 }) },
    { name: 'may have empty labels of the controller', object: having('spec.template.metadata', { labels: { 'broadcastjob-name': '' } }) },
    { name: 'may have labels', object: having('spec.template.metadata', { labels: { app: 'x' } }) },
  ])('$name', ({ object }) => expect(faultsOf(filled(object))).toEqual([]));

  it.each<{ name: string; object: JsonObject; faults: readonly string[] }>([
    {
      name: 'has no dot in its name',
      object: having('metadata.name', 'a.b'),
      faults: ['metadata.name: Invalid value: "a.b": must consist of alphanumeric characters or \'-\''],
    },
    {
      name: 'has no name of 64 characters',
      object: having('metadata.name', long),
      faults: [`metadata.name: Invalid value: "${long}": must be no more than 63 characters`],
    },
    { name: 'has a name', object: having('metadata', {}), faults: ['metadata.name: Required value: name or generateName is required'] },
    {
      name: 'has neither ttl nor deadline when it never ends',
      object: withSpec({ completionPolicy: { type: 'Never', ttlSecondsAfterFinished: 0, activeDeadlineSeconds: 7 } }),
      faults: [
        'spec.completionPolicy.ttlSecondsAfterFinished: Invalid value: 0: ttlSecondsAfterFinished can just work with Always CompletionPolicyType',
        'spec.completionPolicy.activeDeadlineSeconds: Invalid value: 7: activeDeadlineSeconds can just work with Always CompletionPolicyType',
      ],
    },
    { name: 'says how to restart', object: having('spec.template.spec.restartPolicy', undefined), faults: [notPolicy('Always')] },
    { name: 'does not restart indefinitely', object: having('spec.template.spec.restartPolicy', 'Always'), faults: [notPolicy('Always')] },
    {
      name: 'has a policy that exists',
      object: having('spec.template.spec.restartPolicy', 'never'),
      faults: [
        'spec.template.spec.restartPolicy: Unsupported value: "never": supported values: "Always", "OnFailure", "Never"; did you mean "Never"?',
        notPolicy('never'),
      ],
    },
    {
      name: 'does not preset the labels of the controller',
      object: having('spec.template.metadata', { labels: { 'broadcastjob-name': 'x', 'broadcastjob-controller-uid': 'y' } }),
      faults: [
        'spec.template.metadata.labels: Invalid value: "x": label broadcastjob-name is set by the controller and cannot be preset',
        'spec.template.metadata.labels: Invalid value: "y": label broadcastjob-controller-uid is set by the controller and cannot be preset',
      ],
    },
    {
      name: 'has a template that Pods can be made of',
      object: having('spec.template.spec.containers', [{ name: 'main' }]),
      faults: ['spec.template.spec.containers[0].image: Required value'],
    },
    {
      name: 'has a container',
      object: having('spec.template.spec.containers', []),
      faults: ['spec.template.spec.containers: Required value'],
    },
    { name: 'has a spec', object: { metadata: { name: 'x' } }, faults: ['spec: Required value'] },
    {
      name: 'has an object for a spec',
      object: { metadata: { name: 'x' }, spec: 7 },
      faults: ['spec: Invalid value: 7: must be an object'],
    },
    { name: 'has a template', object: withSpec({ template: undefined }), faults: ['spec.template: Required value'] },
    { name: 'has a template with a spec', object: withSpec({ template: {} }), faults: ['spec.template.spec: Required value'] },
    {
      name: 'has members of the right types',
      object: withSpec({ completionPolicy: [], failurePolicy: { restartLimit: 'x' }, parallelism: 1.5, paused: 'no', template: 'x' }),
      faults: [
        'spec.template: Invalid value: "x": must be an object',
        'spec.completionPolicy: Invalid value: []: must be an object',
        'spec.failurePolicy.restartLimit: Invalid value: "x": must be an integer',
        'spec.parallelism: Invalid value: 1.5: must be an integer or a percentage',
        'spec.paused: Invalid value: "no": must be true or false',
      ],
    },
    {
      name: 'has a restartPolicy of the right type, reported once',
      object: having('spec.template.spec.restartPolicy', 7),
      faults: ['spec.template.spec.restartPolicy: Invalid value: 7: must be a string'],
    },
  ])('$name', ({ object, faults }) => {
    expect([...faultsOf(filled(object))].sort()).toEqual([...faults].sort());
  });

  it('scenario 12: all faults are listed together', () => {
    const object: JsonObject = {
      metadata: { name: 'a.b' },
      spec: {
        completionPolicy: { type: 'Never', ttlSecondsAfterFinished: 5 },
        template: { metadata: { labels: { 'broadcastjob-name': 'x' } }, spec: { containers: [{ name: 'main', image: 'busybox' }] } },
      },
    };
    expect(faultsOf(filled(object))).toHaveLength(4);
  });

  it('without defaults of templates a restartPolicy must be there, and nothing else', () => {
    const gates = { TemplateNoDefaults: true };
    expect(faultsOf(filled(bare, undefined, gates))).toEqual([]);
    expect(faultsOf(filled(having('spec.template.spec.restartPolicy', undefined), undefined, gates))).toEqual([notPolicy('')]);
  });

  it('may change in every member', () => {
    const object = filled(having('spec.template.spec.containers.0.image', 'other'), filled(bare));
    expect(faultsOf(object)).toEqual([]);
  });
});
