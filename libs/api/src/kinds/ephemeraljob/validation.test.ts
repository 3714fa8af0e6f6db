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
    { name: 'with a name that is none', change: { name: 'De_bug' }, fault: 'ephemeralContainers[0].name: Invalid value' },
    { name: 'without an image', change: { image: undefined }, fault: 'ephemeralContainers[0].image: Required value' },
    { name: 'with blanks around the image', change: { image: ' a ' }, fault: 'ephemeralContainers[0].image: Invalid value' },
    {
      name: 'without a message policy',
      change: { terminationMessagePolicy: undefined },
      fault: 'ephemeralContainers[0].terminationMessagePolicy: Required value',
    },
    {
      name: 'with another message policy',
      change: { terminationMessagePolicy: 'Log' },
      fault: 'ephemeralContainers[0].terminationMessagePolicy: Unsupported value: "Log"',
    },
    { name: 'without a pull policy', change: { imagePullPolicy: '' }, fault: 'ephemeralContainers[0].imagePullPolicy: Required value' },
    {
      name: 'with another pull policy',
      change: { imagePullPolicy: 'Sometimes' },
      fault: 'ephemeralContainers[0].imagePullPolicy: Unsupported value: "Sometimes"',
    },
    { name: 'with a bad variable', change: { env: [{ name: '' }] }, fault: 'ephemeralContainers[0].env[0].name: Required value' },
    { name: 'with a source of nothing', change: { envFrom: [{}] }, fault: 'ephemeralContainers[0].envFrom[0]: Invalid value' },
    {
      name: 'with a mount of a part of a volume',
      change: { volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }] },
      fault: 'ephemeralContainers[0].volumeMounts[0].subPath: Forbidden',
    },
    {
      name: 'with a mount of a part by expression',
      change: { volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: '$(A)' }] },
      fault: 'ephemeralContainers[0].volumeMounts[0].subPathExpr: Forbidden',
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
      fault: 'ephemeralContainers[0].resizePolicy: Forbidden',
    },
    { name: 'with ports', change: { ports: [{ containerPort: 80, protocol: 'TCP' }] }, fault: 'ephemeralContainers[0].ports: Forbidden' },
    {
      name: 'with ports, which are looked at too',
      change: { ports: [{ containerPort: 0, protocol: 'TCP' }] },
      fault: 'ephemeralContainers[0].ports[0].containerPort',
    },
  ])('$name', ({ change, fault }) => {
    expect(faultsOf([{ ...good, ...change }])).toContain(fault);
  });

  it('for each faulty container, with its place', () => {
    const text = faultsOf([good, { ...good, image: '' }, { ...good, lifecycle: { preStop: {} } }]);
    expect(text).toContain('ephemeralContainers[1].image: Required value');
    expect(text).toContain('ephemeralContainers[1].name: Duplicate value: "debugger"');
    expect(text).toContain('ephemeralContainers[2].lifecycle: Forbidden');
    expect(text).not.toContain('ephemeralContainers[0]');
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

  it.each(['text', 7, [null], ['text'], {}])('or for containers that are %j', (containers) => {
    expect(faultsOf(containers)).toContain('ephemeralContainers');
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
