import { versions } from '../../shared/api/version.ts'
import { notFound } from '../ground/errors.ts'
import { implement } from './implement.ts'

export const versionRoutes = implement(versions, {
  agent: ({ app }) => {
    if (app.agentRelease.version === undefined) {
      throw notFound('version')
    }
    return app.agentRelease.version
  },
  server: ({ app }) => app.version,
  releaseNotes: ({ app }) => app.agentRelease.readNotes(),
})
