/** Returns a number with its noun, which gets an `s` unless the number is 1: `3 Pods`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
