import { describe, expect, it } from '@jest/globals';
import { deepFreeze, formatFieldErrors, type JsonObject } from '@kruise/objects';
import fc from 'fast-check';
import { validateEphemeralJob } from './validation.ts';

const good = { name: 'debugger', image: 'busybox:1.35', imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' };

const jobOf = (ephemeralContainers: unknown, spec: object = {}): JsonObject =>
  deepFreeze({
    metadata: { name: 'j' },
    spec: { selector: { matchLabels: { app: 'web' } }, template: { ephemeralContainers }, ...spec },
  });
const faultsOf = (ephemeralContainers: unknown, allowPrivileged = true): string =>
  formatFieldErrors(validateEphemeralJob(jobOf(ephemeralContainers), { allowPrivileged }));

describe('an EphemeralJob is let through', () => {
  it.each<{ name: string; containers: unknown }>([
    { name: 'with the least', containers: [good] },
    { name: 'without containers', containers: [] },
    { name: 'with null for containers', containers: null },
    { name: 'with two names', containers: [good, { ...good, name: 'other' }] },
    {
      name: 'with empty lists and objects of what it cannot have',
      containers: [
        {
          ...good,
          ports: [],
          resizePolicy: [],
          resources: {},
          lifecycle: {},
          livenessProbe: null,
          volumeMounts: [{ name: 'v', mountPath: '/v', subPath: '' }],
        },
      ],
    },
    {
      name: 'with everything an ephemeral container may have',
      containers: [
        {
          ...good,
          targetContainerName: 'no-such-container',
          command: ['sh'],
          args: ['-c', 'true'],
          workingDir: '/',
          env: [{ name: 'A', value: 'b' }],
          envFrom: [{ configMapRef: { name: 'c' } }],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
          volumeDevices: [{ name: 'disk', devicePath: '/dev/xvda' }],
          terminationMessagePath: '/m',
          securityContext: { capabilities: { add: ['SYS_PTRACE'] } },
          stdin: true,
          stdinOnce: true,
          tty: true,
          resources: {},
          ports: [],
          someNewMember: 1,
        },
      ],
    },
  ])('$name', ({ containers }) => {
    expect(faultsOf(containers)).toBe('');
  });
});

describe('an EphemeralJob is refused', () => {
  it.each<{ name: string; change: object; fault: string }>([
    { name: 'without a name', change: { name: '' }, fault: 'ephemeralContainers[0].name: Required value' },
    {
      name: 'with a name that is none',
      change: { name: 'De_bug' },
      fault: `ephemeralContainers[0].name: Invalid value: "De_bug": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    },
    { name: 'without an image', change: { image: undefined }, fault: 'ephemeralContainers[0].image: Required value' },
    {
      name: 'with blanks around the image',
      change: { image: ' a ' },
      fault: 'ephemeralContainers[0].image: Invalid value: " a ": must not have leading or trailing whitespace',
    },
    {
      name: 'without a message policy',
      change: { terminationMessagePolicy: undefined },
      fault: 'ephemeralContainers[0].terminationMessagePolicy: Required value',
    },
    {
      name: 'with another message policy',
      change: { terminationMessagePolicy: 'Log' },
      fault: 'ephemeralContainers[0].terminationMessagePolicy: Unsupported value: "Log": supported values: "File", "FallbackToLogsOnError"',
    },
    { name: 'without a pull policy', change: { imagePullPolicy: '' }, fault: 'ephemeralContainers[0].imagePullPolicy: Required value' },
    {
      name: 'with another pull policy',
      change: { imagePullPolicy: 'Sometimes' },
      fault: 'ephemeralContainers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
    },
    { name: 'with a bad variable', change: { env: [{ name: '' }] }, fault: 'ephemeralContainers[0].env[0].name: Required value' },
    {
      name: 'with a source of nothing',
      change: { envFrom: [{}] },
      fault: 'ephemeralContainers[0].envFrom[0]: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
    },
    {
      name: 'with a mount of a part of a volume',
      change: { volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }] },
      fault: 'ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container',
    },
    {
      name: 'with a mount of a part by expression',
      change: { volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: '$(A)' }] },
      fault: 'ephemeralContainers[0].volumeMounts[0].subPathExpr: Forbidden: cannot be set for an Ephemeral Container',
    },
    ...['resources', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'].map((member) => ({
      name: `with ${member}`,
      change: { [member]: { any: 'thing' } },
      fault: `ephemeralContainers[0].${member}: Forbidden: cannot be set for an Ephemeral Container`,
    })),
    {
      name: 'with a restart policy',
      change: { restartPolicy: 'Always' },
      fault: 'ephemeralContainers[0].restartPolicy: Forbidden: cannot be set for an Ephemeral Container',
    },
    {
      name: 'with a resize policy',
      change: { resizePolicy: [{ resourceName: 'cpu' }] },
      fault: 'ephemeralContainers[0].resizePolicy: Forbidden: cannot be set for an Ephemeral Container',
    },
    {
      name: 'with ports',
      change: { ports: [{ containerPort: 80, protocol: 'TCP' }] },
      fault: 'ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
    },
    {
      name: 'with a restart policy that is empty',
      change: { restartPolicy: '' },
      fault: 'ephemeralContainers[0].restartPolicy: Forbidden: cannot be set for an Ephemeral Container',
    },
    {
      name: 'with a device without path',
      change: { volumeDevices: [{ name: 'd' }] },
      fault: 'ephemeralContainers[0].volumeDevices[0].devicePath: Required value',
    },
    {
      name: 'with a device without name',
      change: { volumeDevices: [{ devicePath: '/d' }] },
      fault: 'ephemeralContainers[0].volumeDevices[0].name: Required value',
    },
    {
      name: 'with a mount without path',
      change: { volumeMounts: [{ name: 'v' }] },
      fault: 'ephemeralContainers[0].volumeMounts[0].mountPath: Required value',
    },
    {
      name: 'with a mount without name',
      change: { volumeMounts: [{ mountPath: '/v' }] },
      fault: 'ephemeralContainers[0].volumeMounts[0].name: Required value',
    },
    {
      name: 'with ports, which are looked at too',
      change: { ports: [{ containerPort: 0, protocol: 'TCP' }] },
      fault:
        '[ephemeralContainers[0].ports[0].containerPort: Required value, ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container]',
    },
  ])('$name', ({ change, fault }) => {
    expect(faultsOf([{ ...good, ...change }])).toBe(fault);
  });

  it.each<{ members: string; value: unknown; why: string }>([
    {
      members: 'image name imagePullPolicy targetContainerName terminationMessagePath terminationMessagePolicy workingDir',
      value: 5,
      why: '5: must be a string',
    },
    { members: 'stdin stdinOnce tty', value: 'x', why: '"x": must be true or false' },
    { members: 'args command env envFrom volumeDevices volumeMounts', value: 'x', why: '"x": must be a list' },
    { members: 'securityContext', value: 'x', why: '"x": must be an object' },
  ])('for $members of another type than $value', ({ members, value, why }) => {
    for (const member of members.split(' '))
      expect(faultsOf([{ ...good, [member]: value }])).toBe(`ephemeralContainers[0].${member}: Invalid value: ${why}`);
    for (const list of ['volumeMounts', 'volumeDevices'])
      expect(faultsOf([{ ...good, [list]: [{ name: 5, mountPath: 6, devicePath: 7 }] }])).toBe(
        list === 'volumeMounts'
          ? '[ephemeralContainers[0].volumeMounts[0].name: Invalid value: 5: must be a string, ephemeralContainers[0].volumeMounts[0].mountPath: Invalid value: 6: must be a string]'
          : '[ephemeralContainers[0].volumeDevices[0].name: Invalid value: 5: must be a string, ephemeralContainers[0].volumeDevices[0].devicePath: Invalid value: 7: must be a string]',
      );
  });

  it('for each faulty container, with its place', () => {
    const text = faultsOf([good, { ...good, image: '' }, { ...good, lifecycle: { preStop: {} } }]);
    expect(text).toBe(
      '[ephemeralContainers[1].image: Required value, ' +
        'ephemeralContainers[2].lifecycle: Forbidden: cannot be set for an Ephemeral Container, ' +
        'ephemeralContainers[1].name: Duplicate value: "debugger", ' +
        'ephemeralContainers[2].name: Duplicate value: "debugger"]',
    );
  });

  it('for each container without name, which is no duplicate', () => {
    expect(
      faultsOf([
        { ...good, name: '' },
        { ...good, name: '' },
      ]),
    ).toBe('[ephemeralContainers[0].name: Required value, ephemeralContainers[1].name: Required value]');
  });

  it('for a privileged container where those are not allowed', () => {
    const privileged = [{ ...good, securityContext: { privileged: true } }];
    expect(faultsOf(privileged, false)).toContain('ephemeralContainers[0].securityContext.privileged: Forbidden');
    expect(faultsOf(privileged)).toBe('');
  });

  it('for a selector that can select nothing', () => {
    const spec = { selector: { matchExpressions: [{ key: 'app', operator: 'Is', values: ['web'] }] } };
    expect(formatFieldErrors(validateEphemeralJob(jobOf([good], spec), { allowPrivileged: true }))).toContain(
      'spec.selector.matchExpressions[0].operator',
    );
  });

  it.each<[unknown, string]>([
    ['text', 'ephemeralContainers: Invalid value: "text": must be a list'],
    [7, 'ephemeralContainers: Invalid value: 7: must be a list'],
    [{}, 'ephemeralContainers: Invalid value: {}: must be a list'],
    [[null], 'ephemeralContainers[0]: Invalid value: null: must be an object'],
    [['text'], 'ephemeralContainers[0]: Invalid value: "text": must be an object'],
  ])('or for containers that are %j', (containers, fault) => {
    expect(faultsOf(containers)).toBe(fault);
  });

  it('but not for a selector or a template that it does not have', () => {
    for (const spec of [{ selector: null }, { selector: undefined }, { template: undefined }])
      expect(validateEphemeralJob(jobOf([good], spec), { allowPrivileged: true })).toEqual([]);
    expect(validateEphemeralJob({ metadata: { name: 'j' } }, { allowPrivileged: true })).toEqual([]);
  });
});

it('never throws, whatever comes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (containers) => {
      expect(() => faultsOf(containers)).not.toThrow();
      expect(() => faultsOf([containers])).not.toThrow();
    }),
  );
});
