/** The objects that `check` sends as dry runs. */
import { expect, it } from '@jest/globals';
import { allKinds, conforms, objectSchema } from '@kruise/api';
import { sampleName, sampleSpecs } from './samples.ts';

it.each(allKinds.flatMap((kind) => kind.versions.map((version) => [`${kind.kind} ${version.name}`, kind, version] as const)))(
  'the sample of %s conforms to its schema',
  (_name, kind, version) => {
    const object = {
      apiVersion: `${kind.group}/${version.name}`,
      kind: kind.kind,
      metadata: { name: sampleName },
      spec: sampleSpecs[kind.plural],
    };
    expect(object.spec).toBeDefined();
    expect(conforms(objectSchema(kind, version), object)).toBe(true);
  },
);
