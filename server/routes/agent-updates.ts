import { agentUpdates } from '../../shared/api/agent-updates.ts'
import type { RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import type { OpenCall } from '../call.ts'
import { implement } from './implement.ts'

const metadata = ({ app }: OpenCall, { params }: { params: { runtime: RuntimeId } }) =>
  app.agentRelease.metadata(params.runtime)

export const agentUpdateRoutes = implement(agentUpdates, { metadata, metadataLegacy: metadata })
