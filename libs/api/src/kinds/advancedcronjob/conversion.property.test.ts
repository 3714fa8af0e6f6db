import { describe } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { agreed, itConvertsLosslessly } from '../../conversion/round-trip.testing.ts';
import { converter } from './conversion.ts';
import { declaration } from './schema.ts';

interface Sketch {
  spec?: { template?: { imageListPullJobTemplate?: unknown; jobTemplate?: unknown; broadcastJobTemplate?: unknown } };
}

/** Admission accepts one template: beside another one the list of images is not restored, and null equals none. */
const oneTemplate = agreed((object: Sketch) => {
  const template = object.spec?.template;
  if (template === undefined) return;
  const others = [template.jobTemplate, template.broadcastJobTemplate].filter((other) => other !== undefined && other !== null);
  if (others.length > 0 || template.imageListPullJobTemplate === null) delete template.imageListPullJobTemplate;
});

describe('conversion of AdvancedCronJobs', () => {
  itConvertsLosslessly({
    declaration,
    converter,
    equalAlpha: agreed(() => undefined),
    equalBeta: (object: JsonObject) => oneTemplate(object),
  });
});
