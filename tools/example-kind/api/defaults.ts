/** Defaults of a MaintenanceNotice: the object with absent fields filled in; the same object if nothing is missing. */
import { changeMember, type Members } from '../../../libs/api/src/conversion/converter.ts';
import { fillAbsent } from '../../../libs/api/src/defaults/fill.ts';

export const defaultMaintenanceNotice = (notice: Members): Members =>
  changeMember(notice, 'spec', (spec) => fillAbsent(spec, { durationSeconds: 3600 }));
