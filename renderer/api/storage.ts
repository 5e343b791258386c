/** Storage of the browser that never throws: a storage that is full or blocked keeps nothing. */
const lenient = (open: () => Storage) => ({
  get(key: string): string | null {
    try {
      return open().getItem(key)
    } catch {
      return null
    }
  },
  /** Returns false if the storage is full or blocked. */
  set(key: string, value: string): boolean {
    try {
      open().setItem(key, value)
      return true
    } catch {
      return false
    }
  },
  remove(key: string): void {
    try {
      open().removeItem(key)
    } catch {
      // A blocked storage holds nothing.
    }
  },
})

/** Storage of this tab. */
export const tabStorage = lenient(() => sessionStorage)

/** Storage that all tabs of this origin share. */
export const browserStorage = lenient(() => localStorage)
