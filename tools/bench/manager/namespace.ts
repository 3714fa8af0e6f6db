/** Where the objects of the scenarios are. */
export const namespace = 'bench';
