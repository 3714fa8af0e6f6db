// The output of Go's encoder of Kubernetes 1.32 for rare templates: `testdata/encodings`.
import { describe, expect, it } from '@jest/globals';
import { parseLossless, type ControllerRevision, type PersistentVolumeClaimTemplate, type PodTemplateSpec } from '@kruise/objects';
import { recordedEncodings } from '@kruise/testing';
import { claimTemplateHash } from './claim-template-hash.ts';
import { membersOf, type Member } from './core-types.ts';
import { revisionBytes, templateBytes, templateOf } from './template-data.ts';

const cases = recordedEncodings<{ readonly template: string; readonly bytes: string }>('pod-templates');
const stored = (bytes: string): ControllerRevision => ({ data: parseLossless(bytes) }) as ControllerRevision;

describe('revisions of the original, over random templates', () => {
  it('have exactly the bytes that are generated from the template here', () => {
    for (const { template, bytes } of cases) {
      const made = templateBytes(parseLossless(template) as PodTemplateSpec);
      expect({ template, bytes: made }).toEqual({ template, bytes });
    }
  });

  it('equal what is generated from the template in them', () => {
    for (const { bytes } of cases) {
      const again = templateBytes(templateOf(stored(bytes)) as PodTemplateSpec);
      expect({ bytes, compared: revisionBytes(stored(again)) }).toEqual({ bytes, compared: revisionBytes(stored(bytes)) });
    }
  });

  it.each(['9223372036854775807', '9007199254740993', '[null', '"2.500"', '"001Gi"', String.raw`\b\f`, '+08:00'])(
    'are generated from %s, too',
    (found) => {
      expect(cases.filter(({ template }) => template.includes(found)).length).toBeGreaterThan(0);
    },
  );
});

describe('the claim template hash of the original, over random claim templates', () => {
  const lists = recordedEncodings<{ readonly templates: string; readonly hash: string }>('claim-templates');

  it('equals the one that is computed here', () => {
    for (const { templates, hash } of lists) {
      const made = claimTemplateHash(parseLossless(templates) as readonly (PersistentVolumeClaimTemplate | null)[]);
      expect({ templates, hash: made }).toEqual({ templates, hash });
    }
  });

  it('is also computed from lists that contain null', () => {
    expect(lists.filter(({ templates }) => /[[,]null[\],]/.test(templates)).length).toBeGreaterThan(0);
  });
});

describe('the types that the original decodes a template to', () => {
  type Recorded = readonly (readonly [name: string, type: string | null])[];
  const recorded = recordedEncodings<{ readonly type: string; readonly members: Recorded }>('pod-template-members');
  const types = new Map(recorded.map(({ type, members }) => [type, members]));
  /** Members that no template contains. */
  const passedOver = new Set(['managedFields']);
  const nestedType = ({ name, shape }: Member): string | undefined => (passedOver.has(name) || !('type' in shape) ? undefined : shape.type);

  /** Returns every pair of a Go type and the table's type for it that can be reached from one; differences as texts. */
  function differences(goType: string, type: string, seen: Set<string>): readonly string[] {
    if (seen.has(`${goType} ${type}`)) return [];
    seen.add(`${goType} ${type}`);
    const members = types.get(goType) ?? [];
    const table = membersOf(type);
    const names = [members.map(([name]) => name), [...table.keys()]].map((list) => list.join(' '));
    const here = names[0] === names[1] ? [] : [`${type}: ${names[1]} instead of ${goType}: ${names[0]}`];
    const below = members.flatMap(([name, nested]): readonly string[] => {
      const member = table.get(name);
      if (member === undefined || passedOver.has(name)) return [];
      const other = nestedType(member);
      if (nested === null || other === undefined)
        return nested === (other ?? null) ? [] : [`${type}.${name}: ${String(other)}, not ${String(nested)}`];
      return differences(nested, other, seen);
    });
    return [...here, ...below];
  }

  it('have the members of the table, in its order', () => {
    const seen = new Set<string>();
    expect(differences('PodTemplateSpec', 'PodTemplateSpec', seen)).toEqual([]);
    expect(seen.size).toBeGreaterThan(80);
  });
});
