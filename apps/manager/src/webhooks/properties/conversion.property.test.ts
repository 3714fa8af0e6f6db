/** `/convert` in memory: a review holds a whole list, and members that only v1beta1 has, or that cannot be read, delay no other object of it. */
import { describe, expect, it } from '@jest/globals';
import { answerConversionReview } from '@kruise/admission';
import { parseLossless, stringifyLossless, type KubeObject } from '@kruise/objects';
import fc from 'fast-check';
import { convert } from '../handlers.ts';
import { hubOnly } from './hub-only.testing.ts';

interface Answered {
  readonly response: { readonly result: { readonly status: string }; readonly convertedObjects: readonly KubeObject[] };
}

/** What the API server is answered for a list. */
async function review(objects: readonly object[], desiredAPIVersion: string): Promise<readonly KubeObject[]> {
  const request = { uid: 'u', desiredAPIVersion, objects };
  const body = Buffer.from(stringifyLossless({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request }));
  const answer = await answerConversionReview(body, { convert, objectLimit: 1024 * 1024, turn: () => Promise.resolve() });
  if (answer.kind !== 'Answered') throw new Error(answer.kind);
  const { response } = parseLossless(Buffer.concat(answer.pieces).toString()) as Answered;
  expect(response.result).toEqual({ status: 'Success' });
  return response.convertedObjects;
}

describe.each(hubOnly)('a list with a $kind that v1alpha1 cannot say', ({ group, kind, spec, status }) => {
  const of = (version: string, name: string, members: object, annotations: object = {}): object => ({
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, annotations },
    spec: members,
  });

  it('is converted whole, and comes back as it was', async () => {
    const odd = { ...of('v1beta1', 'odd', spec), ...(status === undefined ? {} : { status }) };
    const stored = [of('v1beta1', 'first', {}), odd, of('v1beta1', 'last', {})];
    const alpha = await review(stored, `${group}/v1alpha1`);
    expect(alpha.map(({ metadata }) => metadata.name)).toEqual(['first', 'odd', 'last']);
    expect(alpha[1]?.metadata.annotations).toHaveProperty(['apps.kruise.io/v1beta1-members']);
    const [, back] = await review(alpha, `${group}/v1beta1`);
    expect(back).toMatchObject({ ...odd, metadata: { name: 'odd' } });
  });

  it('is converted whole, whatever its annotations say', async () => {
    const names = ['apps.kruise.io/v1beta1-members', 'kruise.io/pub-protect-operations', 'pub.kruise.io/protect-total-replicas'];
    const annotations = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), fc.json()));
    await fc.assert(
      fc.asyncProperty(annotations, async (held) => {
        const stored = [of('v1alpha1', 'first', {}), of('v1alpha1', 'odd', {}, held), of('v1alpha1', 'last', {})];
        expect(await review(stored, `${group}/v1beta1`)).toHaveLength(3);
      }),
      { numRuns: 30 },
    );
  });
});
