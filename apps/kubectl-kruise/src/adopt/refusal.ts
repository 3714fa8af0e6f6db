/** Why a move does not begin or continue. */

/** One reason not to move. */
export interface Refusal {
  /** Where it is, such as `spec.reserveOrdinals`; of the source unless `of` names another object. */
  readonly field: string;
  readonly of?: string;
  readonly message: string;
}
