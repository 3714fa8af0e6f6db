// What Go's encoder of Kubernetes 1.32 makes of templates that hardly anybody writes: `testdata/encodings`.
import { describe, expect, it } from '@jest/globals';
import { parseLossless, type ControllerRevision, type PersistentVolumeClaimTemplate, type PodTemplateSpec } from '@kruise/objects';
import { recordedEncodings } from '@kruise/testing';
import { claimTemplateHash } from './claim-template-hash.ts';
import { revisionBytes, templateBytes, templateOf } from './template-data.ts';

const cases = recordedEncodings<{ readonly template: string; readonly bytes: string }>('pod-templates');
const stored = (bytes: string): ControllerRevision => ({ data: parseLossless(bytes) }) as ControllerRevision;

describe('revisions of the original, over random templates', () => {
  it('have the very bytes that are made of the template here', () => {
    for (const { template, bytes } of cases) {
      const made = templateBytes(parseLossless(template) as PodTemplateSpec);
      expect({ template, bytes: made }).toEqual({ template, bytes });
    }
  });

  it('are equal to what is made of the template that they hold', () => {
    for (const { bytes } of cases) {
      const again = templateBytes(templateOf(stored(bytes)) as PodTemplateSpec);
      expect({ bytes, compared: revisionBytes(stored(again)) }).toEqual({ bytes, compared: revisionBytes(stored(bytes)) });
    }
  });

  it.each(['9223372036854775807', '9007199254740993', '[null', '"2.500"', '"001Gi"', String.raw`\b\f`, '+08:00'])(
    'are made of %s, too',
    (found) => {
      expect(cases.filter(({ template }) => template.includes(found)).length).toBeGreaterThan(0);
    },
  );
});

describe('the claim template hash of the original, over random claim templates', () => {
  const lists = recordedEncodings<{ readonly templates: string; readonly hash: string }>('claim-templates');

  it('is the one that is made here', () => {
    for (const { templates, hash } of lists) {
      const made = claimTemplateHash(parseLossless(templates) as readonly (PersistentVolumeClaimTemplate | null)[]);
      expect({ templates, hash: made }).toEqual({ templates, hash });
    }
  });

  it('is taken of lists with null in them, too', () => {
    expect(lists.filter(({ templates }) => /[[,]null[\],]/.test(templates)).length).toBeGreaterThan(0);
  });
});
