/** The hashes that the webhook writes. @see spec/sidecarset.md 3, 4.1 step 7 */
import { describe, expect, it } from '@jest/globals';
import { annotations, sidecarSetAnnotations } from '@kruise/api';
import type { JsonObject } from '@kruise/objects';
import { completeSidecarSet } from '@kruise/kinds/sidecarset';
import { aSidecarSet } from '@kruise/kinds/sidecarset/testing';

const completed = completeSidecarSet(aSidecarSet() as unknown as JsonObject);
const held = (completed['metadata'] as { readonly annotations: Readonly<Record<string, string>> }).annotations;
const annotated = (given: Readonly<Record<string, string>>): JsonObject => ({
  ...completed,
  metadata: { ...(completed['metadata'] as JsonObject), annotations: given },
});

describe('the hashes of a SidecarSet', () => {
  it.each<{ name: string; given: Readonly<Record<string, string>> }>([
    { name: 'are missing', given: {} },
    { name: 'are of other containers', given: { ...held, [annotations.sidecarSetHash]: 'forged' } },
    { name: 'are right but for the one without images', given: { ...held, [sidecarSetAnnotations.hashWithoutImage]: 'forged' } },
  ])('are written where they $name', ({ given }) => {
    expect(completeSidecarSet(annotated(given))).toEqual(completed);
  });

  it('are those of its containers: another image changes one of them', () => {
    const other = completeSidecarSet(aSidecarSet({ containers: [{ name: 'side', image: 'side:2' }] }) as unknown as JsonObject);
    const hashes = (other['metadata'] as { readonly annotations: Readonly<Record<string, string>> }).annotations;
    expect(hashes[annotations.sidecarSetHash]).not.toBe(held[annotations.sidecarSetHash]);
    expect(hashes[sidecarSetAnnotations.hashWithoutImage]).toBe(held[sidecarSetAnnotations.hashWithoutImage]);
  });
});
