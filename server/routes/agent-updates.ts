import { agentUpdates } from '../../shared/api/agent-updates.ts'
import type { RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import type { OpenCall } from '../call.ts'
import { offeredAgent } from '../services/agents/releases.ts'
import { implement } from './implement.ts'

const metadata = (call: OpenCall, { params }: { params: { runtime: RuntimeId } }) => offeredAgent(call, params.runtime)

export const agentUpdateRoutes = implement(agentUpdates, { metadata, metadataLegacy: metadata })
