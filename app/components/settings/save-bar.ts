/** The bar for unsaved changes: the store admin has its own, the standalone pages use ours. */
export type SaveBarProps = {
  isOpen: boolean;
  isBusy: boolean;
  onSave(): void;
  onDiscard(): void;
};
