/**
 * What follows from a list or an object of the API server in memory, worked out once: observers ask for it at every write, and most of them change
 * something else.
 */
export function onceFor<From extends object, Made>(make: (from: From) => Made): (from: From) => Made {
  const made = new WeakMap<From, { readonly value: Made }>();
  return (from) => {
    const held = made.get(from) ?? { value: make(from) };
    made.set(from, held);
    return held.value;
  };
}
