import { Button, Select } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { scopeKinds, type ScopeKind } from '../../../shared/access.ts'
import type { CheckedRuleDto, RightsCheckDto } from '../../../shared/dtos/rights.ts'
import { roles } from '../../../shared/roles.ts'
import { api } from '../../api/http.ts'
import { rightsQueries } from '../../api/rights-queries.ts'
import { invalidate } from '../../api/query-client.ts'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { permissionLabel, thingName } from '../../components/rights-texts.ts'
import { SearchSelect, type Choice } from '../../components/search-select.tsx'
import { useAddressState } from '../../hooks/use-address-state.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { withDisplayNames } from '../../text/permission-names.ts'
import { moment } from '../../text/format.ts'
import { ScopeField, type ScopeChoice } from '../../components/scope-field.tsx'
import classes from './rights.module.css'

type HolderKind = 'User' | 'UserGroup' | 'ServiceAccount'

const names = ['kind', 'who', 'what', 'place', 'thing'] as const
type CheckAddress = Record<(typeof names)[number], string>

const read = (query: URLSearchParams) =>
  Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as CheckAddress
const write = (state: CheckAddress) =>
  new URLSearchParams(names.flatMap((name) => (state[name] === '' ? [] : [[name, state[name]]])))

const placeOf = ({ place }: CheckAddress): ScopeKind => scopeKinds.find((kind) => kind === place) ?? 'Tenant'

function Rule({ rule }: { rule: CheckedRuleDto }) {
  return (
    <tr data-decides={rule.verdict === 'decides' || undefined}>
      <td>{rule.effect === 'Deny' ? t.rights.ruleDenies : t.rights.ruleAllows}</td>
      <td>
        <bdi>{thingName(rule.scope)}</bdi>
      </td>
      <td>{rule.role === null ? t.rights.singleRight : t.rights.byRole(roles[rule.role].title)}</td>
      <td>{rule.through ? t.rights.through(thingName({ kind: 'UserGroup', ...rule.through })) : t.rights.directly}</td>
      <td>
        {t.rights.verdict[rule.verdict]}
        {rule.endsAt !== null && rule.verdict !== 'ended' && ` · ${t.rights.until(moment(Date.parse(rule.endsAt)))}`}
      </td>
    </tr>
  )
}

/** The answer, with the rules that lead to it. */
function Answer({ answer, onGive }: { answer: RightsCheckDto; onGive: (() => Promise<unknown>) | undefined }) {
  const giving = useMutation({ mutationFn: async () => onGive?.() })
  const sentence = `${thingName(answer.principal)} · ${permissionLabel(answer.permissionName)} · ${thingName(answer.scope)}`
  return (
    <section aria-label={sentence} aria-live="polite">
      <p>
        <span className={classes.verdict} data-allowed={answer.isAllowed}>
          {answer.isAllowed ? t.rights.yes : t.rights.no}
        </span>{' '}
        · {sentence}
      </p>
      <p>{withDisplayNames(answer.reason)}</p>
      {answer.rules.length === 0 ? (
        <p className="muted">{t.rights.noRules}</p>
      ) : (
        <table className={classes.rules} aria-label={t.rights.rules}>
          <tbody>
            {answer.rules.map((rule) => (
              <Rule key={`${rule.assignmentId} ${rule.through?.id ?? ''}`} rule={rule} />
            ))}
          </tbody>
        </table>
      )}
      {answer.moreRules > 0 && <p className="muted">{t.rights.moreRules(answer.moreRules)}</p>}
      {onGive && !answer.isAllowed && (
        <Button variant="default" loading={giving.isPending} onClick={() => giving.mutate()}>
          {t.rights.giveHere}
        </Button>
      )}
      {giving.error && <ProblemAlert error={giving.error} />}
    </section>
  )
}

/** The things that an address names, with their names. */
function useNamed({ kind, who, thing, place }: CheckAddress) {
  const ids = [who, thing].filter((id) => id !== '')
  const { data } = useQuery(rightsQueries.names(ids))
  const [held, setHeld] = useState<ReadonlyMap<string, Choice>>(new Map())
  const of = (id: string, kindOf: string): Choice[] =>
    id === '' ? [] : [held.get(id) ?? { kind: kindOf, id, name: data?.get(id) ?? t.rights.hidden[kindOf] ?? '…' }]
  return {
    principal: of(who, kind || 'User'),
    choices: of(thing, place),
    hold: (chosen: readonly Choice[]) =>
      setHeld((before) => new Map([...before, ...chosen.map((one) => [one.id, one] as const)])),
  }
}

/** "May X do Y on Z, and why?"; the question is the address. */
export function CheckPart({ tabs }: { tabs: ReactNode }) {
  const { can } = useSession()
  const [address, change] = useAddressState(read, write)
  const { principal, choices, hold } = useNamed(address)
  const { data: catalog = [] } = useQuery(rightsQueries.catalog)
  const scopeKind = placeOf(address)
  const isComplete =
    address.who !== '' &&
    address.what !== '' &&
    (scopeKind === 'Tenant' || scopeKind === 'Server' || address.thing !== '')
  const holder = { principalKind: (address.kind || 'User') as HolderKind, principalId: address.who }
  const scope = { scopeKind, ...(address.thing !== '' && { scopeId: address.thing }) }
  const question = { ...holder, permissionName: address.what, ...scope }
  const { data: answer, error } = useQuery({
    ...rightsQueries.check(question),
    enabled: isComplete,
  })
  const legal = catalog.find(({ name }) => name === address.what)?.allowedScopeKinds
  const give =
    can('tenant.permissions.write') && legal?.includes(scopeKind)
      ? async () => {
          const body = { ...holder, permissionName: address.what, ...scope }
          await api.permissionAssignments.create({ body })
          await invalidate(['rights'])
        }
      : undefined
  const groups = Map.groupBy(catalog, ({ categoryLabel }) => categoryLabel)
  const choice: ScopeChoice = { kind: scopeKind, choices }
  return (
    <div className={classes.page}>
      <PageHead title={t.rights.title} intro={t.rights.checkIntro} />
      {tabs}
      <div className={classes.check}>
        <SearchSelect
          label={t.rights.who}
          kind="Principal"
          max={1}
          value={principal}
          onChange={(chosen) => {
            hold(chosen)
            change({ who: chosen[0]?.id ?? '', kind: chosen[0]?.kind ?? '' }, true)
          }}
        />
        <Select
          label={t.rights.permission}
          placeholder={t.rights.pick}
          searchable
          data={[...groups].map(([group, items]) => ({
            group,
            items: items.map(({ name, displayName }) => ({ value: name, label: displayName })),
          }))}
          value={address.what || null}
          onChange={(what) => change({ what: what ?? '' }, true)}
        />
        <ScopeField
          kinds={scopeKinds}
          max={1}
          value={choice}
          onChange={({ kind, choices: chosen }) => {
            hold(chosen)
            change({ place: kind, thing: chosen[0]?.id ?? '' }, true)
          }}
        />
        {error && <ProblemAlert error={error} />}
        {isComplete ? (
          answer && <Answer answer={answer} onGive={give} />
        ) : (
          <p className="muted">{t.rights.chooseAll}</p>
        )}
      </div>
    </div>
  )
}
