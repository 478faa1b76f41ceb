/**
 * GraphQL documents of commerce: Admin API (2026-04 and 2026-07), and Storefront API (2026-04) for
 * the cart. Values from shoppers and agents are passed as variables, never in the document's text.
 */

// Fields of a public product. `status` and `publishedAt` say whether it is public.
const PRODUCT_FIELDS = `id
      handle
      title
      description
      vendor
      productType
      status
      publishedAt
      onlineStoreUrl
      tags
      featuredMedia { ... on MediaImage { id } preview { image { url altText } } }
      priceRangeV2 { minVariantPrice { amount currencyCode } maxVariantPrice { amount currencyCode } }
      variants(first: 50) { nodes { id title sku barcode price availableForSale } }`;

export const PRODUCTS = `query Products($first: Int!, $after: String, $query: String) {
  products(first: $first, after: $after, query: $query, sortKey: RELEVANCE) {
    nodes {
      ${PRODUCT_FIELDS}
    }
    pageInfo { hasNextPage endCursor }
  }
  shop { currencyCode }
}`;

/** Products by product id or by variant id. */
export const PRODUCTS_BY_ID = `query ProductsById($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on Product {
      ${PRODUCT_FIELDS}
    }
    ... on ProductVariant { id product {
      ${PRODUCT_FIELDS}
    } }
  }
  shop { currencyCode }
}`;

export const COLLECTION_BY_HANDLE = `query CollectionByHandle($handle: String!) {
  collectionByIdentifier(identifier: { handle: $handle }) { id handle }
}`;

/** Availability of variants, with the product of each. */
export const VARIANTS = `query Variants($ids: [ID!]!) {
  nodes(ids: $ids) { ... on ProductVariant { id availableForSale product { id status publishedAt } } }
}`;

/**
 * VARIANTS with the collections of each product, for the scope of a mandate. Costs some hundred
 * points per variant.
 */
export const VARIANT_COLLECTIONS = `query VariantCollections($ids: [ID!]!) {
  nodes(ids: $ids) { ... on ProductVariant { id availableForSale product { id status publishedAt collections(first: 100) { nodes { handle } } } } }
}`;

const ORDER_FIELDS = `id
        name
        createdAt
        displayFinancialStatus
        displayFulfillmentStatus
        currentTotalPriceSet { shopMoney { amount currencyCode } }`;

export const CUSTOMER_ORDERS = `query CustomerOrders($id: ID!, $first: Int!, $after: String, $query: String) {
  customer(id: $id) {
    id
    orders(first: $first, after: $after, query: $query, sortKey: CREATED_AT, reverse: true) {
      nodes {
        ${ORDER_FIELDS}
        lineItems(first: 100) { nodes { id } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

export const ORDER = `query Order($id: ID!) {
  order(id: $id) {
    ${ORDER_FIELDS}
    totalPriceSet { shopMoney { amount currencyCode } }
    cancelledAt
    customer { id }
    lineItems(first: 100) {
      nodes { id title sku quantity currentQuantity variant { id } discountedUnitPriceSet { shopMoney { amount currencyCode } } }
    }
    fulfillments(first: 50) {
      id
      status
      createdAt
      trackingInfo(first: 10) { company number url }
      fulfillmentLineItems(first: 100) { nodes { quantity lineItem { id } } }
    }
    refunds(first: 50) {
      id
      createdAt
      totalRefundedSet { shopMoney { amount currencyCode } }
      refundLineItems(first: 100) { nodes { quantity lineItem { id } } }
    }
  }
}`;

const DRAFT_ORDER_FIELDS = `id
      invoiceUrl
      subtotalPriceSet { shopMoney { amount currencyCode } }
      totalPriceSet { shopMoney { amount currencyCode } }
      lineItems(first: 100) {
        nodes { id title quantity requiresShipping variant { id availableForSale } approximateDiscountedUnitPriceSet { shopMoney { amount currencyCode } } discountedTotalSet { shopMoney { amount currencyCode } } }
      }`;

export const DRAFT_ORDER_CREATE = `mutation DraftOrderCreate($input: DraftOrderInput!) {
  draftOrderCreate(input: $input) {
    draftOrder {
      ${DRAFT_ORDER_FIELDS}
    }
    userErrors { field message }
  }
}`;

/** `order` is set once the draft is completed. */
export const DRAFT_ORDER = `query DraftOrder($id: ID!) {
  draftOrder(id: $id) {
      ${DRAFT_ORDER_FIELDS}
      order { id }
  }
}`;

export const DRAFT_ORDER_DELETE = `mutation DraftOrderDelete($input: DraftOrderDeleteInput!) {
  draftOrderDelete(input: $input) { deletedId userErrors { field message } }
}`;

export const COMMERCE_DOCUMENTS: Record<string, string> = {
  PRODUCTS,
  PRODUCTS_BY_ID,
  COLLECTION_BY_HANDLE,
  VARIANTS,
  VARIANT_COLLECTIONS,
  CUSTOMER_ORDERS,
  ORDER,
  DRAFT_ORDER,
  DRAFT_ORDER_CREATE,
  DRAFT_ORDER_DELETE,
};

// For the whole cart, or for one of its lines.
const DISCOUNT_ALLOCATIONS = `discountAllocations {
        discountedAmount { amount currencyCode }
        ... on CartCodeDiscountAllocation { code }
        ... on CartAutomaticDiscountAllocation { title }
        ... on CartCustomDiscountAllocation { title }
      }`;

const CART_FIELDS = `id
      checkoutUrl
      cost { subtotalAmount { amount currencyCode } totalAmount { amount currencyCode } }
      lines(first: 100) {
        nodes {
          ... on CartLine { id }
          quantity
          merchandise { ... on ProductVariant { id title requiresShipping availableForSale price { amount currencyCode } product { title } } }
          cost { totalAmount { amount currencyCode } }
          ${DISCOUNT_ALLOCATIONS}
        }
      }
      discountCodes { code applicable }
      ${DISCOUNT_ALLOCATIONS}
      deliveryGroups(first: 10) {
        nodes {
          id
          deliveryOptions { handle code title description deliveryMethodType estimatedCost { amount currencyCode } }
          selectedDeliveryOption { handle estimatedCost { amount currencyCode } }
        }
      }`;

export const CART_CREATE = `mutation CartCreate($input: CartInput!) {
  cartCreate(input: $input) {
    cart {
      ${CART_FIELDS}
    }
    userErrors { field message code }
    warnings { code message target }
  }
}`;

export const CART = `query Cart($id: ID!) {
  cart(id: $id) {
      ${CART_FIELDS}
  }
}`;

export const CART_SELECTED_DELIVERY_OPTIONS_UPDATE = `mutation CartSelectedDeliveryOptionsUpdate($cartId: ID!, $selectedDeliveryOptions: [CartSelectedDeliveryOptionInput!]!) {
  cartSelectedDeliveryOptionsUpdate(cartId: $cartId, selectedDeliveryOptions: $selectedDeliveryOptions) {
    cart {
      ${CART_FIELDS}
    }
    userErrors { field message code }
  }
}`;

/** Where a cart is sent. The storefront alone keeps it: it is read only to put it on the next cart. */
export const CART_ADDRESS = `query CartAddress($id: ID!) {
  cart(id: $id) {
    delivery {
      addresses(selected: true) {
        address { ... on CartDeliveryAddress { address1 address2 city countryCode firstName lastName phone provinceCode zip } }
      }
    }
  }
}`;

/** Documents of the Storefront API. */
export const CART_DOCUMENTS: Record<string, string> = {
  CART,
  CART_ADDRESS,
  CART_CREATE,
  CART_SELECTED_DELIVERY_OPTIONS_UPDATE,
};
