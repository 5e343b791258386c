/** Runs work that the agent can do without. A full or read-only disk fails such work and must not end the agent (T37). */
export function bestEffort(work: () => void): void {
  try {
    work()
  } catch {
    // The file keeps its old content, or stays missing, until the next write.
  }
}
