/** Defaults of BroadcastJobs. @see spec/broadcastjob.md 4.1 */
import { describe, expect, it } from '@jest/globals';
import { deepFreeze, membersAt, type JsonObject } from '@kruise/objects';
import { bare, filled, having } from './admission.testing.ts';

const policies = { completionPolicy: { type: 'Always' }, parallelism: 2147483647, failurePolicy: { type: 'FailFast' } };
const specOf = (object: JsonObject): JsonObject => membersAt(object, 'spec');
const podSpecOf = (object: JsonObject): JsonObject => membersAt(membersAt(specOf(object), 'template'), 'spec');
const finer = having('spec.template.spec.containers.0.resources', { limits: { cpu: '1000m', memory: '0.0001' } });

describe('defaults of BroadcastJobs', () => {
  it.each(['v1alpha1', 'v1beta1'])('scenario 13: a minimal job of %s runs everywhere at once, ends, and fails fast', (version) => {
    const object = deepFreeze({ apiVersion: `apps.kruise.io/${version}`, ...bare });
    const { template, ...rest } = specOf(filled(object));
    expect(rest).toEqual(policies);
    expect(template).toEqual({
      spec: {
        containers: [
          {
            name: 'main',
            image: 'busybox:1',
            imagePullPolicy: 'Always',
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
        restartPolicy: 'Never',
        dnsPolicy: 'ClusterFirst',
        schedulerName: 'default-scheduler',
        securityContext: {},
        terminationGracePeriodSeconds: 30,
      },
    });
  });

  it.each<{ name: string; spec: JsonObject; then: JsonObject }>([
    { name: 'an empty policy gets its type', spec: { completionPolicy: {}, failurePolicy: {} }, then: policies },
    { name: 'null is not given', spec: { completionPolicy: null, parallelism: null, failurePolicy: null }, then: policies },
    { name: 'an empty type is not given', spec: { completionPolicy: { type: '' }, failurePolicy: { type: '' } }, then: policies },
    {
      name: 'members beside a type are kept',
      spec: { completionPolicy: { ttlSecondsAfterFinished: 0 }, failurePolicy: { restartLimit: 3 } },
      then: {
        ...policies,
        completionPolicy: { ttlSecondsAfterFinished: 0, type: 'Always' },
        failurePolicy: { restartLimit: 3, type: 'FailFast' },
      },
    },
    {
      name: 'what is set stays, 0 and unknown types included',
      spec: { completionPolicy: { type: 'Never' }, parallelism: 0, failurePolicy: { type: 'Whatever' }, paused: false },
      then: { completionPolicy: { type: 'Never' }, parallelism: 0, failurePolicy: { type: 'Whatever' }, paused: false },
    },
    {
      name: 'what is of another type stays',
      spec: { completionPolicy: 'Always', parallelism: '', failurePolicy: ['FailFast'] },
      then: { completionPolicy: 'Always', parallelism: '', failurePolicy: ['FailFast'] },
    },
  ])('$name', ({ spec, then }) => {
    expect(specOf(filled(deepFreeze({ metadata: {}, spec })))).toEqual(then);
  });

  it('an omitted restartPolicy becomes Always', () => {
    expect(podSpecOf(filled(having('spec.template.spec.restartPolicy', undefined)))).toMatchObject({ restartPolicy: 'Always' });
  });

  it('an object that lacks nothing is the very same', () => {
    const once = filled(bare);
    expect(filled(once)).toBe(once);
    expect(filled(once, bare)).toBe(once);
  });

  it('the submitted status is cleared', () => {
    const once = filled(bare);
    expect(filled({ ...once, status: { phase: 'completed' } })).toEqual(once);
    expect(filled({ ...once, status: {} })).toEqual(once);
  });

  it('with gate TemplateNoDefaults the template is unchanged', () => {
    const object = filled(finer, undefined, { TemplateNoDefaults: true });
    expect(specOf(object)).toEqual({ ...specOf(finer), ...policies });
  });

  it('a template that is stored already is unchanged, and one that differs is filled in', () => {
    expect(podSpecOf(filled(bare, bare))).toBe(podSpecOf(bare));
    expect(podSpecOf(filled(bare, finer))).toHaveProperty('dnsPolicy', 'ClusterFirst');
  });

  it('quantities are rounded up, and written canonically', () => {
    expect(podSpecOf(filled(finer))).toMatchObject({ containers: [{ resources: { limits: { cpu: '1', memory: '1m' } } }] });
  });

  it('ports of containers on the network of the host are ports of the host where the gate says so', () => {
    const ports = [{ containerPort: 80 }];
    const object = having('spec.template.spec.containers.0.ports', ports, having('spec.template.spec.hostNetwork', true));
    const portsAt = (on: boolean): unknown => podSpecOf(filled(object, undefined, { DefaultHostNetworkHostPortsInPodTemplates: on }));
    expect(portsAt(true)).toMatchObject({ containers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }] });
    expect(portsAt(false)).not.toMatchObject({ containers: [{ ports: [{ hostPort: 80 }] }] });
  });
});
