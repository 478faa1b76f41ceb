/**
 * The slug of a customer's CMS item. It never changes, so that an item whose creation was not
 * confirmed is found instead of created again, and is deleted with the customer.
 */
export const cmsSlugOf = (userId: number): string => `customer-${userId}`;
