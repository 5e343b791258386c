const metadata = {
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
}

let loading: ReturnType<typeof load> | undefined

async function load() {
  // The library finds its algorithms with one that refuses to load where decorators cannot note types. Ours note none.
  const isMissing = !('getMetadata' in Reflect)
  if (isMissing) {
    Object.assign(Reflect, metadata)
  }
  try {
    // The whole of a package in the older format: bundled, it has no other names.
    const { default: library } = await import('@peculiar/x509')
    return library
  } finally {
    if (isMissing) {
      Object.keys(metadata).forEach((name) => Reflect.deleteProperty(Reflect, name))
    }
  }
}

/** What makes certificates. Loaded when one is made, which is once in months: a start needs none of it. */
export const certificateLibrary = (): ReturnType<typeof load> => (loading ??= load())
