import { Stack } from '@mantine/core'
import { IconDeviceDesktopPlus, IconPlus } from '@tabler/icons-react'
import { useCallback, useMemo, useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { ButtonLink } from '../../components/links.tsx'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { DeleteDevices } from './delete-devices.tsx'
import { deviceAddress } from '../../components/device-tabs.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { ListSkeleton } from '../../components/list-kit/list-skeleton.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useAddressState } from '../../hooks/use-address-state.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { CustomersPane } from './customers-pane.tsx'
import { DevicePane } from './device-pane.tsx'
import { BatchDialog, type BatchRequest } from './batch-dialog.tsx'
import { BatchProgress } from './batch-progress.tsx'
import { DeviceTable } from './device-table.tsx'
import listPage from '../../components/list-page.module.css'
import pane from '../../components/pane-frame.module.css'
import { FilterBar } from './filter-bar.tsx'
import { KeptOrder, SelectionBar } from './selection-bar.tsx'
import { MoveDialog } from './move-dialog.tsx'
import { NoMatch } from './no-match.tsx'
import { ListActionsContext, type ListActions } from './list-actions.ts'
import { focusListAfterDialog } from '../../components/list-focus.ts'
import { isOutOfOrder } from './out-of-order.ts'
import { isMovingOrder, readListState, toSearch, writeListState, type ChangeList, type ListState } from './list-url.ts'
import { useColumns } from './use-columns.ts'
import { useCustomers } from './use-customers.ts'
import { useDeviceList, type DeviceListState, type PageRange } from './use-device-list.ts'
import { useDoubleClick } from './use-double-click.ts'
import { UpdatableContext, useUpdatable } from './updatable.ts'
import { useSelectAll, useSelection, type Selection } from './use-selection.ts'

/** State of the list, stored in the address. Only opening and closing the details adds a history entry. */
function useListState() {
  const [state, changeAddress] = useAddressState(readListState, writeListState)
  const isOpen = state.deviceId !== undefined
  const change = useCallback(
    (changes: Partial<ListState> | ((now: ListState) => Partial<ListState>)) =>
      changeAddress(changes, typeof changes === 'function' || !('deviceId' in changes) || isOpen),
    [changeAddress, isOpen],
  )
  return [state, change] as const
}

/** Devices of a search, with their selection and columns, and what the table reports. */
function useSearchedDevices(state: ListState) {
  const { text, sort, isDescending } = state
  const search = useMemo(() => toSearch({ text, sort, isDescending }), [text, sort, isDescending])
  const [range, setRange] = useState<PageRange>({ first: 0, last: 0 })
  const [width, setWidth] = useState(0)
  const [cursor, setCursor] = useState(0)
  const handleRange = useCallback(
    (next: PageRange) =>
      setRange((before) => (before.first === next.first && before.last === next.last ? before : next)),
    [],
  )
  const list = useDeviceList(search, range, isMovingOrder(state))
  const selection = useSelection(search, list)
  const selectAll = useSelectAll(search, selection)
  const onScreen = useMemo(() => [...list.rows.values()], [list.rows])
  const columns = useColumns(onScreen, width, sort)
  const view = { cursor, onCursor: setCursor, onWidth: setWidth, onRange: handleRange }
  return { list, selection, selectAll, onScreen, columns, view }
}

/** Devices that a dialog asks about. */
interface Asked {
  toDelete: readonly DeviceResponseDto[]
  toMove: readonly DeviceResponseDto[]
  batch?: BatchRequest
}

const nothingAsked: Asked = { toDelete: [], toMove: [] }

interface ListDialogsProps {
  asked: Asked
  selection: Selection
  onClose: () => void
  onStarted: (batchId: string) => void
  onDeleted: (ids: readonly string[]) => void
}

function ListDialogs({ asked, selection, onClose, onStarted, onDeleted }: ListDialogsProps) {
  const navigate = useNavigate()
  const shared = { hidden: selection.hidden, onClose, onClosed: focusListAfterDialog }
  return (
    <>
      <BatchDialog
        request={asked.batch}
        {...shared}
        onStarted={({ id, kind }) => {
          onClose()
          onStarted(id)
          if (kind === 'run-command') {
            void navigate(`/batches/${id}`)
          }
        }}
      />
      <MoveDialog devices={asked.toMove} onClose={onClose} onClosed={focusListAfterDialog} />
      <DeleteDevices
        devices={asked.toDelete}
        {...shared}
        onDeleted={(ids) => {
          selection.drop(ids)
          onDeleted(ids)
        }}
      />
    </>
  )
}

interface DeviceListProps {
  list: DeviceListState
  text: string
  isFleetEmpty: boolean
  onSearch: (text: string) => void
  /** Table of the devices. */
  children: ReactNode
}

/** Table of devices, or the reason why it is empty. */
function DeviceList({ list, text, isFleetEmpty, onSearch, children }: DeviceListProps) {
  const { can } = useSession()
  const isLate = useIsLate(list.isPending)
  if (list.error) {
    return (
      <div style={{ padding: 24 }}>
        <ProblemAlert error={list.error} onRetry={list.refresh} />
      </div>
    )
  }
  if (list.isPending) {
    return isLate && <ListSkeleton />
  }
  if (isFleetEmpty) {
    return (
      <EmptyState
        icon={IconDeviceDesktopPlus}
        title={can('agent.install') ? t.devices.emptyTitle : t.devices.emptyForReadersTitle}
        hint={can('agent.install') ? t.devices.emptyHint : t.devices.emptyForReaders}
      >
        {can('agent.install') && <ButtonLink to="/deploy">{t.devices.emptyAction}</ButtonLink>}
      </EmptyState>
    )
  }
  if (list.total === 0 && !list.isStale) {
    return <NoMatch text={text} problems={list.problems} onSearch={onSearch} />
  }
  return children
}

/** Actions of a row for the table and its menu. */
function useRowActions(change: ChangeList, ask: (asked: Asked) => void): ListActions {
  const navigate = useNavigate()
  const [renamedId, setRenamedId] = useState<string>()
  return useMemo(
    () => ({
      renamedId,
      rename: setRenamedId,
      stopRenaming: () => setRenamedId(undefined),
      open: (id, tab) => void navigate(deviceAddress(id, tab)),
      showDetails: (deviceId) => change({ deviceId }),
      remove: (toDelete) => ask({ ...nothingAsked, toDelete }),
    }),
    [renamedId, navigate, change, ask],
  )
}

export function Component() {
  usePageTitle(t.devices.title)
  const { can } = useSession()
  const [state, change] = useListState()
  const { list, selection, selectAll, onScreen, columns, view } = useSearchedDevices(state)
  const customers = useCustomers(list.rows, selection)
  const updatable = useUpdatable(onScreen)
  const [asked, setAsked] = useState(nothingAsked)
  const [batchId, setBatchId] = useState<string>()
  const actions = useRowActions(change, setAsked)
  const isFleetEmpty = !list.hasDevices && !state.text
  const handleDoubleClick = useDoubleClick(list.rows, actions.open)
  const addAction = can('agent.install') && (
    <ButtonLink to="/deploy" leftSection={<IconPlus size={16} />}>
      {t.devices.add}
    </ButtonLink>
  )
  return (
    <ListActionsContext value={actions}>
      <div className={listPage.page}>
        <PageHead title={t.devices.title} intro={t.devices.intro} action={!isFleetEmpty && addAction} />
        {!isFleetEmpty && (
          <FilterBar
            state={state}
            facets={list.facets}
            total={list.isPending || list.error ? undefined : list.total}
            isWaiting={list.isStale}
            columns={columns}
            customers={customers}
            onChange={change}
          />
        )}
        <div className={pane.body} onClickCapture={handleDoubleClick}>
          {customers.isShown && !isFleetEmpty && (
            <CustomersPane
              customers={customers.nodes}
              state={state}
              onChange={change}
              dragged={customers.dragged}
              mayMove={customers.mayMove}
            />
          )}
          <Stack gap={0} flex={1} miw="min(240px, 100%)">
            <DeviceList list={list} text={state.text} isFleetEmpty={isFleetEmpty} onSearch={(text) => change({ text })}>
              <UpdatableContext value={updatable}>
                <DeviceTable
                  columns={columns}
                  list={list}
                  state={state}
                  selection={selection}
                  view={view}
                  drag={customers.drag}
                  onSort={(sort, isDescending) => change({ sort, isDescending })}
                />
              </UpdatableContext>
            </DeviceList>
            {(selection.selected.size > 0 || list.orderedAt !== undefined) && (
              <div className={listPage.bar}>
                {selection.selected.size > 0 && (
                  <SelectionBar
                    selection={selection}
                    total={list.total}
                    onSelectAll={selectAll.mutate}
                    isSelectingAll={selectAll.isPending}
                    onDelete={actions.remove}
                    onMove={(toMove) => setAsked({ ...nothingAsked, toMove })}
                    onBatch={(kind, devices) => setAsked({ ...nothingAsked, batch: { kind, devices } })}
                  />
                )}
                {list.orderedAt !== undefined && (
                  <KeptOrder
                    orderedAt={list.orderedAt}
                    isOutOfOrder={isOutOfOrder(onScreen, state)}
                    onSortAgain={list.sortAgain}
                  />
                )}
              </div>
            )}
            {batchId && <BatchProgress batchId={batchId} onHide={() => setBatchId(undefined)} />}
          </Stack>
          {state.deviceId && <DevicePane deviceId={state.deviceId} onClose={() => change({ deviceId: undefined })} />}
        </div>
      </div>
      <ListDialogs
        asked={asked}
        selection={selection}
        onClose={() => setAsked(nothingAsked)}
        onStarted={setBatchId}
        onDeleted={(ids) => state.deviceId && ids.includes(state.deviceId) && change({ deviceId: undefined })}
      />
    </ListActionsContext>
  )
}
