import type { IncomingMessage } from 'node:http'
import { applianceRemoteSessions } from '../../../shared/api/appliance-remote-sessions.ts'
import type { RemoteSessionDto } from '../../../shared/dtos/remote-session.ts'
import type { App } from '../../call/call.ts'
import type { Cluster, ClusterServer } from '../../engines/cluster/cluster.ts'
import type { ClusterProxy } from '../../engines/cluster/proxy.ts'
import { PathTable } from '../../engines/http/contract/path-table.ts'
import { pathOf } from '../../engines/http/web/request.ts'
import type { Response } from '../../engines/http/web/response.ts'

const hasSession = 'session.has'
const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const { list, message, end } = applianceRemoteSessions.routes

/** Sessions on all servers: each knows those of the devices that it holds. */
export class SessionsElsewhere {
  readonly #app: App
  readonly #cluster: Cluster
  readonly #proxy: ClusterProxy
  readonly #ofSession = new PathTable<object>()

  constructor(app: App, cluster: Cluster, proxy: ClusterProxy) {
    this.#app = app
    this.#cluster = cluster
    this.#proxy = proxy
    cluster.answer(hasSession, async (id) => app.remoteSessions.get(String(id)) !== undefined)
    for (const { path } of [message, end]) {
      this.#ofSession.at(path, () => ({}))
    }
  }

  /** Session that a request ends or sends a message to, unless this server has it. */
  strangerIn(request: IncomingMessage): string | undefined {
    const [match] = request.method === 'POST' ? this.#ofSession.find(pathOf(request)) : []
    const id = match?.segments[0]?.toLowerCase()
    return id !== undefined && guid.test(id) && this.#app.remoteSessions.get(id) === undefined ? id : undefined
  }

  /** The server that has a session. */
  async serverOf(id: string): Promise<ClusterServer | undefined> {
    const answers = await this.#cluster.askOthers(hasSession, id)
    return answers.find(({ answer }) => answer === true)?.server
  }

  isList(request: IncomingMessage): boolean {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    const hasBody = length !== undefined || encoding !== undefined
    return request.method === list.method && !hasBody && pathOf(request).toLowerCase() === list.path
  }

  /** Answers with the lists of all servers, each as the caller may see it. False if this server rejects the caller. */
  async answerList(request: IncomingMessage, response: Response): Promise<boolean> {
    const answers = await Promise.all(this.#cluster.servers().map((server) => this.#proxy.read(server, request)))
    if (answers[0]?.status !== 200) {
      return false
    }
    const lists = answers.map((answer) =>
      answer?.status === 200 ? (JSON.parse(answer.body) as { items: RemoteSessionDto[] }).items : [],
    )
    const items = lists.flat().toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))
    response.writeHead(200, answers[0].headers)
    response.end(JSON.stringify({ items }))
    return true
  }
}
