/**
 * AdvancedCronJob v1alpha1 <-> v1beta1 (spec/advancedcronjob.md 1): the same members, except for a template that v1alpha1 lacks. It is carried
 * through v1alpha1 in an annotation: one object that could not be converted would make every list and watch of the kind fail.
 */
import { isJsonObject, membersAt, type JsonObject } from '@kruise/objects';
import { converted, type Conversion, type Converter } from '../../conversion/converter.ts';
import { carryHubMembers, takeHubMembers } from '../../conversion/hub-members.ts';
import { mapMember } from '../../members/nested-members.ts';
import { conforms } from '../../schema/conforms.ts';
import { imageListPullJobTemplate } from './schema.ts';

const inTemplate = (object: JsonObject, change: (template: JsonObject) => JsonObject): JsonObject =>
  mapMember(object, 'spec', (spec) => mapMember(spec, 'template', change));

function fromHub(object: JsonObject): Conversion {
  const carried = membersAt(membersAt(object, 'spec'), 'template')['imageListPullJobTemplate'];
  if (!isJsonObject(carried)) return converted(carryHubMembers(object, {}));
  const alpha = inTemplate(object, ({ imageListPullJobTemplate: _carried, ...template }) => template);
  return converted(carryHubMembers(alpha, { spec: { template: { imageListPullJobTemplate: carried } } }));
}

/** Converts to v1beta1. A template of the object itself takes precedence over a carried one. */
function toHub(object: JsonObject): Conversion {
  const { carried, object: uncarried } = takeHubMembers(object);
  const { imageListPullJobTemplate: lists } = membersAt(membersAt(carried, 'spec'), 'template');
  if (!conforms(imageListPullJobTemplate.json, lists)) return converted(uncarried);
  return converted(
    inTemplate(uncarried, (template) => {
      const isEmpty = Object.values(template).every((value) => value === undefined || value === null);
      return isEmpty ? { ...template, imageListPullJobTemplate: lists } : template;
    }),
  );
}

/** Converts AdvancedCronJobs between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = { group: 'apps.kruise.io', kind: 'AdvancedCronJob', toHub, fromHub };
