/** What is kept of an object: its name and its samples as text, rendered when the object changes, so that a scrape only joins texts. */
import { identityIn, type KubeObject } from '@kruise/objects';
import { renderObject, type Rendering } from '../families/render.ts';

export interface ObjectText extends KubeObject {
  /** For each family, in their order. */
  readonly texts: readonly string[];
}

/** Returns what the store keeps of an object: its name, its version and its texts. */
export const textOf =
  (rendering: Rendering) =>
  (object: KubeObject): KubeObject =>
    ({ metadata: identityIn(object.metadata), texts: renderObject(object, rendering) }) as ObjectText;
