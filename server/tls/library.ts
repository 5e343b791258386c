const metadata = {
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
}

let loading: ReturnType<typeof load> | undefined

async function load() {
  // A dependency of the library refuses to load without decorator metadata. We use none.
  const isMissing = !('getMetadata' in Reflect)
  if (isMissing) {
    Object.assign(Reflect, metadata)
  }
  try {
    // CommonJS package: when bundled, it has a default export only.
    const { default: library } = await import('@peculiar/x509')
    return library
  } finally {
    if (isMissing) {
      Object.keys(metadata).forEach((name) => Reflect.deleteProperty(Reflect, name))
    }
  }
}

/**
 * The certificate library. Loaded on first use, since certificates are issued once in months: startup does not need it.
 */
export const certificateLibrary = (): ReturnType<typeof load> => (loading ??= load())
