/** Validation of a MaintenanceNotice beyond its schema; its defaults are filled in. */
import { fieldInvalid, memberAt, type FieldError, type JsonObject } from '@kruise/objects';

export function validateMaintenanceNotice(notice: JsonObject): readonly FieldError[] {
  const length = memberAt(notice, 'spec', 'durationSeconds');
  return Number(length) > 0 ? [] : [fieldInvalid('spec.durationSeconds', length, 'must be greater than 0')];
}
