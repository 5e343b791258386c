import { Skeleton } from '@mantine/core'
import listPage from '../list-page.module.css'

/** Room of the rows of a list that is loading. */
export const ListSkeleton = () => (
  <div className={listPage.skeleton} aria-hidden>
    {Array.from({ length: 12 }, (_, index) => (
      <Skeleton key={index} height={12} width={`${92 - (index % 4) * 9}%`} />
    ))}
  </div>
)
