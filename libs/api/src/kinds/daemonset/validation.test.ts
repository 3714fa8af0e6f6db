/** Faults of DaemonSets, each rule with and without its fault. @see spec/daemonset.md 4.2 */
import { describe, expect, it } from '@jest/globals';
import { formatFieldError, withMembers, type JsonObject } from '@kruise/objects';
import { bare, filled, having, rolling, validation, versions } from './admission.testing.ts';
import type { DaemonSetVersion } from './defaults.ts';
import { validateDaemonSetUpdate } from './validation.ts';
import { validateDaemonSet } from './rules.ts';

const faultsOf = (object: JsonObject, version: DaemonSetVersion = 'v1beta1'): readonly string[] =>
  validateDaemonSet(object, validation(version)).map(formatFieldError);
const withSpec = (members: JsonObject): JsonObject => having('spec', withMembers(bare['spec'] as JsonObject, members));
const podSpec = (name: string, value: unknown): JsonObject => having(`spec.template.spec.${name}`, value);

describe('a DaemonSet', () => {
  it.each<{ name: string; object: JsonObject }>([
    { name: 'is accepted with its defaults', object: bare },
    { name: 'may have a subdomain for its name', object: having('metadata.name', 'agent.example.com') },
    { name: 'may have its name generated', object: having('metadata', { generateName: 'agent-' }) },
    { name: 'may restart its Pods always', object: podSpec('restartPolicy', 'Always') },
    { name: 'may leave the restart policy empty', object: podSpec('restartPolicy', '') },
    { name: 'may be on chosen nodes', object: podSpec('nodeSelector', { disk: 'ssd' }) },
    { name: 'may keep no history and count Pods at once', object: withSpec({ revisionHistoryLimit: 0, minReadySeconds: 0 }) },
    { name: 'may have any number for its burst', object: withSpec({ burstReplicas: -1 }) },
    { name: 'may have any text for its burst', object: withSpec({ burstReplicas: 'many' }) },
    {
      name: 'may have hooks before deletion, and before normal service in vain',
      object: withSpec({ lifecycle: { preDelete: { labelsHandler: { a: 'b' }, markPodNotReady: true }, preNormal: {} } }),
    },
    { name: 'may create Pods in parts', object: withSpec({ scaleStrategy: { partitionedScaling: true } }) },
  ])('$name', ({ object }) => {
    for (const version of versions) expect(faultsOf(filled(object, version), version)).toEqual([]);
  });

  it.each<{ name: string; object: JsonObject; faults: readonly string[] }>([
    {
      name: 'has a name',
      object: having('metadata', {}),
      faults: ['metadata.name: Required value: name or generateName is required'],
    },
    {
      name: 'has no capital letters in its name',
      object: having('metadata.name', 'Agent'),
      faults: [expect.stringContaining('metadata.name: Invalid value: "Agent": a lowercase RFC 1123 subdomain') as unknown as string],
    },
    { name: 'has a spec', object: { metadata: { name: 'x' } }, faults: ['spec: Required value'] },
    {
      name: 'has an object for a spec',
      object: { metadata: { name: 'x' }, spec: 7 },
      faults: ['spec: Invalid value: 7: must be an object'],
    },
    { name: 'has a selector', object: withSpec({ selector: undefined }), faults: ['spec.selector: Required value'] },
    {
      name: 'does not select everything',
      object: withSpec({ selector: { matchLabels: {}, matchExpressions: [] } }),
      faults: ['spec.selector: Invalid value: {"matchExpressions":[],"matchLabels":{}}: empty selector is invalid for daemonset'],
    },
    {
      name: 'has a valid selector',
      object: withSpec({ selector: { matchExpressions: [{ key: 'app', operator: 'Is' }] } }),
      faults: [expect.stringContaining('spec.selector.matchExpressions[0].operator: Unsupported value: "Is"') as unknown as string],
    },
    {
      name: 'selects the Pods of its template',
      object: withSpec({ selector: { matchLabels: { app: 'other' } } }),
      faults: ['spec.template.metadata.labels: Invalid value: {"app":"agent"}: `selector` does not match template `labels`'],
    },
    {
      name: 'has a template',
      object: withSpec({ template: undefined }),
      faults: [expect.any(String), 'spec.template: Required value'] as string[],
    },
    {
      name: 'has a template that Pods can be made of',
      object: podSpec('containers', [{ name: 'main' }]),
      faults: ['spec.template.spec.containers[0].image: Required value'],
    },
    {
      name: 'has an allowed template',
      object: podSpec('containers.0.securityContext', { privileged: true }),
      faults: [expect.stringContaining('spec.template.spec.containers[0].securityContext.privileged: Forbidden') as unknown as string],
    },
    ...['Never', 'OnFailure'].map((policy) => ({
      name: `does not restart ${policy}`,
      object: podSpec('restartPolicy', policy),
      faults: [`spec.template.spec.restartPolicy: Unsupported value: "${policy}": supported values: "Always"`],
    })),
    {
      name: 'has a restart policy that exists, reported once',
      object: podSpec('restartPolicy', 'Sometimes'),
      faults: [expect.stringContaining('spec.template.spec.restartPolicy: Unsupported value: "Sometimes"') as unknown as string],
    },
    {
      name: 'does not end its Pods',
      object: podSpec('activeDeadlineSeconds', 60),
      faults: ['spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported'],
    },
    ...['minReadySeconds', 'revisionHistoryLimit'].flatMap((name) => [
      {
        name: `has no negative ${name}`,
        object: withSpec({ [name]: -1 }),
        faults: [`spec.${name}: Invalid value: -1: must be greater than or equal to 0`],
      },
      {
        name: `has a whole ${name}`,
        object: withSpec({ [name]: 0.5 }),
        faults: [`spec.${name}: Invalid value: 0.5: must be an integer`],
      },
    ]),
    {
      name: 'has no hook before in-place updates',
      object: withSpec({ lifecycle: { inPlaceUpdate: {} } }),
      faults: ['spec.lifecycle.inPlaceUpdate: Forbidden: inPlaceUpdate hook is not supported yet'],
    },
    {
      name: 'has members of the right types',
      object: withSpec({
        burstReplicas: [],
        lifecycle: { preDelete: { finalizersHandler: 'x', labelsHandler: { a: 1 }, markPodNotReady: 'yes' } },
        scaleStrategy: { partitionedScaling: 'yes' },
        template: 'x',
      }),
      faults: [
        'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`',
        'spec.template: Invalid value: "x": must be an object',
        'spec.lifecycle.preDelete.finalizersHandler: Invalid value: "x": must be a list',
        'spec.lifecycle.preDelete.labelsHandler[a]: Invalid value: 1: must be a string',
        'spec.lifecycle.preDelete.markPodNotReady: Invalid value: "yes": must be true or false',
        'spec.scaleStrategy.partitionedScaling: Invalid value: "yes": must be true or false',
        'spec.burstReplicas: Invalid value: []: must be an integer or a percentage (e.g. 1 or "20%")',
      ],
    },
    {
      name: 'has objects where there are some',
      object: withSpec({ lifecycle: 7, scaleStrategy: 7 }),
      faults: ['spec.lifecycle: Invalid value: 7: must be an object', 'spec.scaleStrategy: Invalid value: 7: must be an object'],
    },
  ])('$name', ({ object, faults }) => {
    for (const version of versions) expect(faultsOf(filled(object, version), version)).toEqual(faults);
  });

  it('scenario 15: has not two limits, no surge in place, and no hook before in-place updates', () => {
    const refused = [
      having(rolling, { maxUnavailable: 1, maxSurge: 1 }),
      having(rolling, { rollingUpdateType: 'InPlaceIfPossible', maxSurge: 1 }),
      withSpec({ lifecycle: { inPlaceUpdate: { labelsHandler: { a: 'b' } } } }),
    ];
    for (const version of versions) for (const object of refused) expect(faultsOf(filled(object, version), version)).toHaveLength(1);
  });

  it('has all faults listed together', () => {
    const { template: _template, ...spec } = bare['spec'] as JsonObject;
    const object = {
      metadata: { name: 'A' },
      spec: { ...spec, minReadySeconds: -1, updateStrategy: { type: 'X' }, lifecycle: { inPlaceUpdate: {} } },
    };
    expect(faultsOf(object).map((fault) => fault.slice(0, fault.indexOf(':')))).toEqual([
      'metadata.name',
      'spec.template.metadata.labels',
      'spec.template',
      'spec.minReadySeconds',
      'spec.updateStrategy',
      'spec.lifecycle.inPlaceUpdate',
    ]);
  });
});

describe('an update of a DaemonSet', () => {
  const faultsOfUpdate = (object: JsonObject, version: DaemonSetVersion = 'v1beta1', old = bare): readonly string[] =>
    validateDaemonSetUpdate(object, old, version).map(formatFieldError);

  it.each<{ version: DaemonSetVersion; mutable: string }>([
    {
      version: 'v1alpha1',
      mutable: "'burstReplicas', 'template', 'lifecycle', 'updateStrategy', 'minReadySeconds' and 'revisionHistoryLimit'",
    },
    {
      version: 'v1beta1',
      mutable: "'burstReplicas', 'template', 'lifecycle', 'updateStrategy', 'scaleStrategy', 'minReadySeconds' and 'revisionHistoryLimit'",
    },
  ])('scenario 14: does not change the selector in $version', ({ version, mutable }) => {
    expect(faultsOfUpdate(having('spec.selector', { matchLabels: { app: 'other' } }), version)).toEqual([
      `spec: Forbidden: updates to daemonset spec for fields other than ${mutable} are forbidden: selector changed`,
    ]);
  });

  it('neither gives nor takes a selector', () => {
    expect(faultsOfUpdate(withSpec({ selector: undefined }))).toHaveLength(1);
    expect(faultsOfUpdate(bare, 'v1beta1', withSpec({ selector: undefined }))).toHaveLength(1);
    expect(faultsOfUpdate({}, 'v1beta1', { spec: null })).toEqual([]);
  });

  it('may write what means the same', () => {
    expect(faultsOfUpdate(having('spec.selector.matchExpressions', []))).toEqual([]);
  });

  it.each<{ name: string; value: unknown }>([
    { name: 'burstReplicas', value: 1 },
    { name: 'template', value: {} },
    { name: 'lifecycle', value: { preDelete: {} } },
    { name: 'updateStrategy', value: { type: 'OnDelete' } },
    { name: 'minReadySeconds', value: 5 },
    { name: 'revisionHistoryLimit', value: 5 },
    { name: 'scaleStrategy', value: { partitionedScaling: true } },
  ])('may change $name', ({ name, value }) => expect(faultsOfUpdate(withSpec({ [name]: value }))).toEqual([]));
});
