import { describe, expect, it } from '@jest/globals';
import { formatFieldError, setIn } from '@kruise/objects';
import { faultyTemplates, templateOf, validTemplate } from './faulty-templates.testing.ts';
import { validatePodTemplate, type PodTemplateOptions } from './pod-template.ts';

const lenient: PodTemplateOptions = { allowPrivileged: true, hostNetworkHostPorts: false, claimVolumes: [] };
const faultsOf = (template: unknown, options: Partial<PodTemplateOptions> = {}): readonly string[] =>
  validatePodTemplate(template, 'template', { ...lenient, ...options }).map((fault) => formatFieldError(fault).replace(/^template\./, ''));

describe('validation of Pod templates', () => {
  it('takes a template that uses much of the API', () => {
    expect(faultsOf(validTemplate)).toEqual([]);
  });

  it.each(faultyTemplates)('$name', (row) => {
    expect([...faultsOf(templateOf(row))].sort()).toEqual([...row.faults].sort());
  });

  it('privileged containers need the permission of the cluster', () => {
    const privileged = setIn<unknown>(validTemplate, ['spec', 'containers', 0, 'securityContext'], { privileged: true });
    expect(faultsOf(privileged)).toEqual([]);
    expect(faultsOf(privileged, { allowPrivileged: false })).toEqual([
      'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
    ]);
    const unprivileged = setIn<unknown>(validTemplate, ['spec', 'containers', 0, 'securityContext'], { privileged: false });
    expect(faultsOf(unprivileged, { allowPrivileged: false })).toEqual([]);
  });

  it('host ports that the gate fills in count as well', () => {
    const containers = ['a', 'b'].map((name) => ({ name, image: 'i', ports: [{ containerPort: 80 }] }));
    const template = { spec: { hostNetwork: true, containers } };
    expect(faultsOf(template)).toEqual([]);
    expect(faultsOf(template, { hostNetworkHostPorts: true })).toEqual([
      'spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"',
    ]);
  });

  it('mounts of claim templates are mounts of volumes', () => {
    const mounting = setIn<unknown>(validTemplate, ['spec', 'containers', 0, 'volumeMounts', 0, 'name'], 'claim');
    expect(faultsOf(mounting)).toEqual(['spec.containers[0].volumeMounts[0].name: Not found: "claim"']);
    expect(faultsOf(mounting, { claimVolumes: ['claim', 'data'] })).toEqual([]);
  });

  it('all faults of the template are listed together', () => {
    const template = {
      metadata: { labels: { 'a b': 'c d' } },
      spec: { containers: [{ name: 'A', image: 5, ports: 'no', env: [null] }, 7], dnsPolicy: {}, volumes: [{ emptyDir: [] }] },
    };
    expect(faultsOf(template).map((fault) => fault.replace(/: (a lower|name part|a valid).*/, ''))).toEqual([
      'metadata.labels: Invalid value: "a b"',
      'metadata.labels: Invalid value: "c d"',
      'spec.containers[0].name: Invalid value: "A"',
      'spec.containers[0].image: Invalid value: 5: must be a string',
      'spec.containers[0].ports: Invalid value: "no": must be a list',
      'spec.containers[0].env[0]: Invalid value: null: must be an object',
      'spec.containers[1]: Invalid value: 7: must be an object',
      'spec.dnsPolicy: Invalid value: {}: must be a string',
      'spec.volumes[0].emptyDir: Invalid value: []: must be an object',
      'spec.volumes[0].name: Required value',
    ]);
  });

  it.each([
    { name: 'no template', template: undefined, fault: 'template: Required value' },
    { name: 'a template of null', template: null, fault: 'template: Required value' },
    { name: 'a template that is a list', template: [], fault: 'template: Invalid value: []: must be an object' },
    { name: 'no spec', template: {}, fault: 'spec: Required value' },
    { name: 'a spec that is a number', template: { spec: 1 }, fault: 'spec: Invalid value: 1: must be an object' },
  ])('$name', ({ template, fault }) => {
    expect(faultsOf(template)).toEqual([fault]);
  });
});
