import { describe, expect, it } from '@jest/globals';
import { deepFreeze, setIn, type JsonObject, type Path } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { defaultPodTemplate } from '../defaults.ts';
import { withCanonicalQuantities } from '../quantities.ts';
import { validTemplate } from './faulty-templates.testing.ts';
import { validatePodTemplate } from './pod-template.ts';

const options = { allowPrivileged: false, hostNetworkHostPorts: true, claimVolumes: [] };

/** Returns every path of a JSON value. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const steps: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [path, ...steps.flatMap((step) => pathsOf((value as Readonly<Record<string | number, unknown>>)[step], [...path, step]))];
}
const paths = pathsOf(validTemplate).filter((path) => path.length > 0);

const json = fc.jsonValue({ maxDepth: 3 });
/** The valid template with up to three members replaced by any JSON. */
const mutilated = fc
  .array(fc.record({ path: fc.constantFrom(...paths), value: json }), { minLength: 1, maxLength: 3 })
  .map((changes) =>
    changes.reduce<unknown>(
      (template, { path, value }) => (canSet(template, path) ? setIn(template, path, value) : template),
      validTemplate,
    ),
  );

function canSet(template: unknown, path: Path): boolean {
  try {
    setIn(template, path, 1);
    return true;
  } catch {
    return false;
  }
}

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const container = fc.record(
  {
    image: fc.constantFrom('nginx', 'nginx:1.25', 'reg.example.com:5000/a/b@sha256:' + 'a'.repeat(64)),
    env: fc.uniqueArray(fc.record({ name, value: fc.string() }), { selector: (env) => env.name, maxLength: 3 }),
    ports: fc.uniqueArray(fc.record({ containerPort: fc.integer({ min: 1, max: 65535 }) }), { maxLength: 3 }),
    resources: fc.record({ limits: fc.record({ cpu: fc.constantFrom('1', '1500m', 2, '0.0001') }) }),
    livenessProbe: fc.record({ tcpSocket: fc.record({ port: fc.integer({ min: 1, max: 65535 }) }), periodSeconds: fc.nat(100) }),
  },
  { requiredKeys: ['image'] },
);
/** Templates without a fault. */
const valid = fc
  .record(
    {
      containers: fc.array(container, { minLength: 1, maxLength: 3 }),
      initContainers: fc.array(fc.record({ image: fc.constant('busybox') }), { maxLength: 1 }),
      hostNetwork: fc.boolean(),
    },
    { requiredKeys: ['containers'] },
  )
  .map((spec) => ({
    spec: {
      ...spec,
      containers: spec.containers.map((item, i) => ({ ...item, name: `c${i}`, ports: i === 0 ? (item.ports ?? []) : [] })),
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map((item, i) => ({ ...item, name: `i${i}` })) }),
    },
  }));

describe('Pod templates', () => {
  it('validation and defaulting of any JSON throw nothing', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(fc.oneof(json, mutilated), (template) => {
        const faults = validatePodTemplate(template, 'spec.template', options);
        expect(faults.filter(({ field }) => !field.startsWith('spec.template'))).toEqual([]);
        expect(defaultPodTemplate({ template }, options)).toHaveProperty('template');
        seen.note(faults.length === 0 ? 'without a fault' : 'with faults');
      }),
      { numRuns: 1000 },
    );
    seen.expectAtLeast({ 'without a fault': 3, 'with faults': 300 });
  });

  it('a mutilated template is never written to, and what was filled in once stays', () => {
    fc.assert(
      fc.property(mutilated, (template) => {
        const before = JSON.stringify(template);
        const once = defaultPodTemplate(deepFreeze(template as JsonObject), options);
        expect(JSON.stringify(template)).toBe(before);
        expect(defaultPodTemplate(deepFreeze(once), options)).toBe(once);
        const printed = withCanonicalQuantities(once);
        expect(withCanonicalQuantities(printed)).toBe(printed);
      }),
      { numRuns: 300 },
    );
  });

  it('valid templates have no fault, before and after defaulting', () => {
    fc.assert(
      fc.property(valid, (template) => {
        expect(validatePodTemplate(template, 'spec.template', options)).toEqual([]);
        expect(validatePodTemplate(defaultPodTemplate(template, options), 'spec.template', options)).toEqual([]);
      }),
    );
  });
});
