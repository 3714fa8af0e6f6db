/** Defaults of a MaintenanceNotice: the object with absent fields filled in; the same object if nothing is missing. */
import { changeMember, type JsonObject } from '@kruise/objects';
import { fillAbsent } from '../../../libs/api/src/members/fill.ts';

export const defaultMaintenanceNotice = (notice: JsonObject): JsonObject =>
  changeMember(notice, 'spec', (spec) => fillAbsent(spec, { durationSeconds: 3600 }));
